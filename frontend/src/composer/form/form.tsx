import { Button, Menu, Textarea, TextInput } from "@mantine/core";
import { useFunctions } from "../../api/documents";
import type { CheckedNode, Problem } from "../../api/types";
import { Icon } from "../../ui/icons";
import { Panel } from "../../ui/page";
import { Empty } from "../../ui/placeholders";
import { GROUPS } from "../operator-fields";
import { OPERATORS } from "../operators";
import { addStep, setHead } from "../document-edits";
import { readOutline, type Outline } from "../outline";
import { problemsAt } from "../problem-list";
import { OutputsForm } from "./outputs-form";
import { formProblem } from "../form-problem";
import { PathAnchor } from "./path-anchor";
import { references } from "./inputs-form";
import { useRowKeys } from "./row-keys";
import { SettingsForm } from "./settings-form";
import { SourcesForm } from "./sources-form";
import { schemaOf, StepEditor } from "./step-editor";
import classes from "../composer.module.css";

interface FormProps {
  text: string;
  onChange: (text: string) => void;
  problems: readonly Problem[];
  nodes: readonly CheckedNode[];
}

/** The document as a form: sources, steps in order, outputs, settings. */
export function Form(props: FormProps) {
  const reading = readOutline(props.text);
  if ("unsupported" in reading)
    return (
      <Panel>
        <Empty title="Can't show this job as a form">{reading.unsupported}</Empty>
      </Panel>
    );
  return <OutlineForm {...props} outline={reading.outline} />;
}

function OutlineForm({ text, onChange, problems: found, nodes, outline }: FormProps & { outline: Outline }) {
  const problems = found.map((problem) => formProblem(problem, outline));
  const keyOf = useRowKeys(outline.steps.map(({ name }) => name));
  return (
    <div className={classes["form"]}>
      <Panel title="Job">
        <div className={classes["form"]}>
          <PathAnchor path={["name"]}>
            <TextInput
              label="Name"
              required
              value={outline.name}
              error={problemsAt(problems, ["name"])}
              onChange={(e) => {
                onChange(setHead(text, "name", e.currentTarget.value));
              }}
            />
          </PathAnchor>
          <Textarea
            label="Description"
            autosize
            minRows={1}
            maxRows={4}
            value={outline.description}
            onChange={(e) => {
              onChange(setHead(text, "description", e.currentTarget.value));
            }}
          />
        </div>
      </Panel>
      <Panel title={outline.sources.length > 1 ? "Sources" : "Source"}>
        <PathAnchor path={["sources"]}>
          <SourcesForm text={text} onChange={onChange} outline={outline} problems={problems} nodes={nodes} />
        </PathAnchor>
      </Panel>
      {outline.steps.map((step, index) => (
        <PathAnchor key={keyOf(step.name)} path={["steps", step.name]}>
          <StepEditor
            number={index + 1}
            step={step}
            outline={outline}
            nodes={nodes}
            text={text}
            onChange={onChange}
            problems={problems}
          />
        </PathAnchor>
      ))}
      {outline.sources.length > 0 && (
        <Adder
          onAdd={(op) => {
            const operator = OPERATORS[op];
            if (operator) onChange(addStep(text, outline, op, operator));
          }}
        />
      )}
      {outline.outputs.length > 0 && (
        <Panel title={outline.outputs.length > 1 ? "Outputs" : "Output"}>
          <PathAnchor path={["outputs"]}>
            <OutputsForm
              text={text}
              onChange={onChange}
              outline={outline}
              options={references(outline, nodes)}
              schemaOf={(reference) => schemaOf(nodes, reference)}
              problems={problems}
            />
          </PathAnchor>
        </Panel>
      )}
      <Panel title="Settings">
        <PathAnchor path={["settings"]}>
          <SettingsForm text={text} onChange={onChange} settings={outline.settings} problems={problems} />
        </PathAnchor>
      </Panel>
    </div>
  );
}

/** Adds a step; offers what the server can run. */
function Adder({ onAdd }: { onAdd: (op: string) => void }) {
  const known = useFunctions().data?.operators.map((operator) => operator["name"]);
  return (
    <Menu position="bottom-start" withinPortal>
      <Menu.Target>
        <Button
          variant="default"
          style={{ alignSelf: "flex-start" }}
          leftSection={<Icon name="plus" size={14} />}
        >
          Add step
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {GROUPS.map((group) => {
          const offered = Object.entries(OPERATORS).filter(
            ([op, operator]) => operator.group === group && known?.includes(op),
          );
          if (!offered.length) return null;
          return [
            <Menu.Label key={group}>{group}</Menu.Label>,
            ...offered.map(([op, { title, does }]) => (
              <Menu.Item
                key={op}
                onClick={() => {
                  onAdd(op);
                }}
              >
                {title} <span className="soft">{does}</span>
              </Menu.Item>
            )),
          ];
        })}
      </Menu.Dropdown>
    </Menu>
  );
}
