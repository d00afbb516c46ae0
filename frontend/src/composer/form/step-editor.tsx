import type { CheckedNode, Problem, SchemaField } from "../../api/types";
import { removeStep } from "../document-edits";
import { inputsOf, nodeOf, type Outline, type StepRow } from "../outline";
import { references } from "./inputs-form";
import { StepForm } from "./step-form";

interface StepEditorProps {
  number: number;
  step: StepRow;
  outline: Outline;
  /** the nodes of the last check */
  nodes: readonly CheckedNode[];
  text: string;
  onChange: (text: string) => void;
  problems: readonly Problem[];
}

/** The form of one step of a document, with what its inputs give. */
export function StepEditor({ number, step, outline, nodes, text, onChange, problems }: StepEditorProps) {
  return (
    <StepForm
      number={number}
      step={step}
      outline={outline}
      options={references(outline, nodes, step.name)}
      schemas={inputsOf(step).map((reference) => schemaOf(nodes, reference))}
      node={nodes.find(({ name }) => name === step.name)}
      text={text}
      onChange={onChange}
      problems={problems}
      onRemove={() => {
        onChange(removeStep(text, outline, step.name));
      }}
    />
  );
}

/** The fields of a reference, a node or one of its ports; none before the check. */
export function schemaOf(nodes: readonly CheckedNode[], reference: string): readonly SchemaField[] {
  const node = nodes.find(({ name }) => name === nodeOf(reference));
  const port = reference.split(".")[1];
  return (port === undefined ? node?.schema : node?.ports.find(({ name }) => name === port)?.schema) ?? [];
}
