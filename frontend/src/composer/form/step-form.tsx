import { ActionIcon } from "@mantine/core";
import type { CheckedNode, Problem, SchemaField } from "../../api/types";
import { Icon } from "../../ui/icons";
import { Panel } from "../../ui/page";
import { Badge } from "../../ui/status";
import { Fields, NodeDetails, NodeDetailsSkeleton } from "../node-details";
import { OPERATORS } from "../operators";
import { renameStep, setLate, setParameter } from "../document-edits";
import { nameProblem, type Outline, type StepRow } from "../outline";
import { shownFields, type Field } from "../parameters";
import { problemsAt } from "../problem-list";
import { GraceLateness } from "./grace-lateness";
import { NameField } from "./name-field";
import { ParameterField } from "./parameter-field";
import { PathAnchor } from "./path-anchor";
import { SeeItRun } from "./see-it-run";
import { InputsForm } from "./inputs-form";
import { asText } from "./values";
import classes from "../composer.module.css";

interface StepFormProps {
  number: number;
  step: StepRow;
  outline: Outline;
  /** possible inputs */
  options: readonly string[];
  /** the fields of each input, in the order of the inputs */
  schemas: readonly (readonly SchemaField[])[];
  /** the step in the last check */
  node: CheckedNode | undefined;
  text: string;
  onChange: (text: string) => void;
  problems: readonly Problem[];
  onRemove: () => void;
}

export function StepForm({
  number,
  step,
  outline,
  options,
  schemas,
  node,
  text,
  onChange,
  problems,
  onRemove,
}: StepFormProps) {
  const operator = OPERATORS[step.op];
  const types = new Map((schemas[0] ?? []).map(({ name, type }) => [name, type]));
  const fields = operator ? shownFields(step.op, operator.fields, { params: step.params, types }) : [];
  const set = (path: readonly string[], value: unknown) => {
    onChange(setParameter(text, step.name, path, value));
  };
  const wrong = (...path: string[]) =>
    problemsAt(ownProblems(problems, step.name, path, fields), ["steps", step.name, ...path]);
  return (
    <Panel
      title={
        <>
          {number}. {step.name}{" "}
          <span className="soft">
            {step.name === step.op ? "" : `${step.op}: `}
            {operator?.does ?? ""}
          </span>
        </>
      }
      aside={
        <span style={{ display: "flex", gap: 4 }}>
          {operator && <SeeItRun op={step.op} step={step.name} />}
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={`Remove step ${step.name}`}
            onClick={onRemove}
          >
            <Icon name="trash" size={14} />
          </ActionIcon>
        </span>
      }
    >
      {unplaced(
        problems,
        step.name,
        operator && [...operator.inputs, ...fields.map(({ path }) => path[0] ?? "")],
      ).map(({ message, hint }) => (
        <p key={message} style={{ marginBottom: 8 }}>
          <Badge tone="bad" plain>
            Error
          </Badge>{" "}
          {message} <span className="soft">{hint}</span>
        </p>
      ))}
      {operator ? (
        <div className={classes["form"]}>
          <div className={classes["row"]}>
            <NameField
              name={step.name}
              problemOf={(name) => nameProblem(outline, name)}
              onChange={(name) => {
                onChange(renameStep(text, outline, step.name, name));
              }}
            />
            <InputsForm step={step} operator={operator} options={options} set={set} wrong={wrong} />
          </div>
          {schemas.some(({ length }) => length > 0) && (
            <Fields label="Input fields" schema={schemas.flat()} />
          )}
          <div className={classes["row"]}>
            {fields.map((field) => (
              <PathAnchor key={field.path.join(".")} path={["steps", step.name, ...field.path]}>
                <ParameterField
                  field={field}
                  params={step.params}
                  schemas={schemas}
                  set={set}
                  keepLate={(kept) => {
                    onChange(setLate(text, outline, step.name, kept));
                  }}
                  wrong={wrong}
                />
              </PathAnchor>
            ))}
          </div>
          {fields.some(({ path }) => path.join(".") === "grace") && (
            <GraceLateness
              outline={outline}
              step={step.name}
              grace={asText(step.params["grace"])}
              onUse={(grace) => {
                set(["grace"], grace);
              }}
            />
          )}
          {problemsAt(problems, ["steps", step.name]) !== null ? (
            <p className="soft">What this step gives appears once it has no problems.</p>
          ) : node ? (
            <NodeDetails node={node} input={schemas.flat()} />
          ) : (
            <NodeDetailsSkeleton name={step.name} />
          )}
        </div>
      ) : (
        <p className="soft">
          {step.op
            ? `“${step.op}” isn't supported in the form.`
            : "A step without op isn't supported in the form."}{" "}
          Edit this step in YAML.
        </p>
      )}
    </Panel>
  );
}

/** The problems at a path that no more specific field shows. */
function ownProblems(
  problems: readonly Problem[],
  step: string,
  path: readonly string[],
  fields: readonly Field[],
): Problem[] {
  const inner = fields
    .map((field) => field.path)
    .filter((other) => other.length > path.length && path.every((part, at) => other[at] === part));
  return problems.filter(
    (problem) =>
      problem.path[1] !== step ||
      !inner.some((other) => other.every((part, at) => problem.path[at + 2] === part)),
  );
}

/** The errors of a step without a field to show them. */
function unplaced(problems: readonly Problem[], step: string, fields: readonly string[] = []): Problem[] {
  return problems.filter(
    ({ severity, path }) =>
      severity === "error" && path[0] === "steps" && path[1] === step && !fields.includes(path[2] ?? ""),
  );
}
