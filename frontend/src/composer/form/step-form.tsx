import { ActionIcon } from "@mantine/core";
import type { ReactNode } from "react";
import type { Problem, SchemaField } from "../../api/types";
import { Icon } from "../../ui/icons";
import { Panel } from "../../ui/page";
import { Mark } from "../../ui/status";
import { Fields } from "../findings";
import { OPERATORS } from "../operators";
import { setParameter, type StepRow } from "../outline";
import { problemsAt } from "../problem-list";
import { AggregateForm } from "./aggregate-form";
import { ParameterField } from "./parameter-field";
import { ReadsForm } from "./reads-form";
import { SelectForm, SplitForm } from "./row-forms";
import classes from "../composer.module.css";

/** What each operator's form gets: its parameters, the fields of its input, how to set one, what is wrong where. */
export interface ParametersProps {
  params: Readonly<Record<string, unknown>>;
  schema: readonly SchemaField[];
  set: (path: readonly string[], value: unknown) => void;
  wrong: (...path: string[]) => string | null;
}

/** Operators whose parameters hang together too much for a list of fields. */
const OWN_FORMS: Readonly<Record<string, (props: ParametersProps) => ReactNode>> = {
  select: (props) => <SelectForm {...props} />,
  split: (props) => <SplitForm {...props} />,
  aggregate: (props) => <AggregateForm {...props} />,
};

interface StepFormProps {
  number: number;
  step: StepRow;
  /** what it may read */
  options: readonly string[];
  schema: readonly SchemaField[];
  text: string;
  onChange: (text: string) => void;
  problems: readonly Problem[];
  onRemove: () => void;
}

export function StepForm({ number, step, options, schema, text, onChange, problems, onRemove }: StepFormProps) {
  const own = problems.filter((problem) => problem.severity === "error" && problem.path[1] === step.name && problem.path.length === 2);
  const operator = OPERATORS[step.op];
  const shared = {
    params: step.params,
    schema,
    set: (path: readonly string[], value: unknown) => { onChange(setParameter(text, step.name, path, value)); },
    wrong: (...path: string[]) => problemsAt(problems, ["steps", step.name, ...path]),
  };
  return (
    <Panel
      title={<>{number}. {step.name} <span className="soft">{step.name === step.op ? "" : `${step.op}: `}{operator?.does ?? ""}</span></>}
      aside={<ActionIcon variant="subtle" color="gray" aria-label={`Remove the step ${step.name}`} onClick={onRemove}><Icon name="trash" size={14} /></ActionIcon>}
    >
      {own.map(({ message, hint }) => <p key={message}><Mark tone="bad" plain>{message}</Mark> {hint}</p>)}
      {operator ? (
        <div className={classes["form"]}>
          <ReadsForm step={step} operator={operator} options={options} set={shared.set} wrong={shared.wrong} />
          {OWN_FORMS[step.op]?.(shared) ?? (
            <>
              <div className={classes["row"]}>{operator.fields?.map((field) => <ParameterField key={field.path.join(".")} field={field} {...shared} />)}</div>
              <Fields schema={[...schema]} />
            </>
          )}
        </div>
      ) : (
        <p className="soft">The form does not know “{step.op || "a step without op"}”. This step is edited in the text view.</p>
      )}
    </Panel>
  );
}
