import { ActionIcon } from "@mantine/core";
import type { CheckedNode, Problem } from "../../api/types";
import { Icon } from "../../ui/icons";
import { Panel } from "../../ui/page";
import { references } from "../form/inputs-form";
import { OutputEditor } from "../form/outputs-form";
import { useRowKeys } from "../form/row-keys";
import { SourceForm } from "../form/sources-form";
import { schemaOf, StepEditor } from "../form/step-editor";
import type { Outline } from "../outline";
import type { GraphNode } from "./graph";

interface NodeEditorProps {
  node: GraphNode;
  outline: Outline;
  nodes: readonly CheckedNode[];
  text: string;
  onChange: (text: string) => void;
  problems: readonly Problem[];
  onClose: () => void;
}

/** The form of a node: the one of the form view. */
export function NodeEditor({ node, onClose, ...rest }: NodeEditorProps) {
  const { outline, nodes, text, onChange, problems } = rest;
  const keyOf = useRowKeys(outline.steps.map(({ name }) => name));
  const step = outline.steps.find(({ name }) => node.kind === "step" && name === node.name);
  if (step)
    return (
      <StepEditor key={keyOf(step.name)} number={outline.steps.indexOf(step) + 1} step={step} {...rest} />
    );
  const source = outline.sources.find(({ name }) => node.kind === "source" && name === node.name);
  const output = outline.outputs.find(({ name }) => node.kind === "output" && name === node.name);
  const close = (
    <ActionIcon variant="subtle" color="gray" aria-label="Close form" onClick={onClose}>
      <Icon name="close" size={14} />
    </ActionIcon>
  );
  return (
    <Panel title={`${source ? "Source" : "Output"} ${node.name}`} aside={close}>
      {source && (
        <SourceForm
          source={source}
          text={text}
          onChange={onChange}
          isOnly
          problems={problems}
          nodes={nodes}
        />
      )}
      {output && (
        <OutputEditor
          output={output}
          text={text}
          onChange={onChange}
          options={references(outline, nodes)}
          schema={schemaOf(nodes, output.input)}
          problems={problems}
        />
      )}
    </Panel>
  );
}
