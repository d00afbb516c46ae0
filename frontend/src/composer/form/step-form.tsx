import { ActionIcon } from "@mantine/core";
import type { ReactNode } from "react";
import type { Problem, SchemaField } from "../../api/types";
import { Icon } from "../../ui/icons";
import { Panel } from "../../ui/page";
import { Mark } from "../../ui/status";
import { setParameter, type ChainStep, type FormOperator } from "../chain";
import { problemsAt } from "../problem-list";
import { AggregateForm } from "./aggregate-form";
import { DeriveForm, FilterForm, SelectForm, SplitForm } from "./row-forms";

/** What each operator's form gets: its parameters, the fields of its input, how to set one, what is wrong where. */
export interface ParametersProps {
  params: Readonly<Record<string, unknown>>;
  schema: readonly SchemaField[];
  set: (path: readonly string[], value: unknown) => void;
  wrong: (...path: string[]) => string | null;
}

const FORMS: Readonly<Record<FormOperator, (props: ParametersProps) => ReactNode>> = {
  filter: (props) => <FilterForm {...props} />,
  derive: (props) => <DeriveForm {...props} />,
  select: (props) => <SelectForm {...props} />,
  split: (props) => <SplitForm {...props} />,
  aggregate: (props) => <AggregateForm {...props} />,
};

const TITLES: Readonly<Record<FormOperator, string>> = {
  filter: "keep rows where …",
  derive: "add or replace fields",
  select: "keep only these fields",
  split: "one row per word or piece",
  aggregate: "group and measure",
};

interface StepFormProps {
  number: number;
  step: ChainStep;
  schema: readonly SchemaField[];
  text: string;
  onChange: (text: string) => void;
  problems: readonly Problem[];
  onRemove: () => void;
}

export function StepForm({ number, step, schema, text, onChange, problems, onRemove }: StepFormProps) {
  const own = problems.filter((problem) => problem.severity === "error" && problem.path[1] === step.name && problem.path.length === 2);
  return (
    <Panel
      title={<>{number}. {step.name} <span className="soft">{step.name === step.op ? "" : `${step.op}: `}{TITLES[step.op]}</span></>}
      aside={<ActionIcon variant="subtle" color="gray" aria-label={`Remove the step ${step.name}`} onClick={onRemove}><Icon name="trash" size={14} /></ActionIcon>}
    >
      {own.map(({ message, hint }) => <p key={message}><Mark tone="bad" plain>{message}</Mark> {hint}</p>)}
      {FORMS[step.op]({
        params: step.params,
        schema,
        set: (path, value) => { onChange(setParameter(text, step.name, path, value)); },
        wrong: (...path) => problemsAt(problems, ["steps", step.name, ...path]),
      })}
    </Panel>
  );
}
