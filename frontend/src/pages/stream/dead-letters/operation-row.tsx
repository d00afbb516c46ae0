import { ActionIcon, Checkbox, Select, TextInput } from "@mantine/core";
import { Icon } from "../../../ui/icons";
import type { Draft } from "./edit-operations";
import classes from "../stream.module.css";

const VERBS = [
  { value: "set", label: "Set a field" },
  { value: "remove", label: "Remove a field" },
  { value: "rename", label: "Rename a field" },
  { value: "replace", label: "Replace text" },
];

interface OperationRowProps {
  step: Draft;
  number: number;
  onChange: (step: Draft) => void;
  /** absent: it is the only one */
  onRemove?: () => void;
}

/** One step of an edit as it is typed. */
export function OperationRow({ step, number, onChange, onRemove }: OperationRowProps) {
  const change = (part: Partial<Draft>) => { onChange({ ...step, ...part }); };
  return (
    <fieldset className={classes["step"]}>
      <legend className="visually-hidden">Step {number}</legend>
      <Select label="What" allowDeselect={false} data={VERBS} value={step.do} onChange={(verb) => { if (verb) change({ do: verb as Draft["do"] }); }} />
      {step.do !== "replace" && <TextInput label="Field" description="a.b: b within a" value={step.field} onChange={(e) => { change({ field: e.currentTarget.value }); }} />}
      {step.do === "set" && <TextInput label="Value" description={'5, true, null or "5"; else a text'} value={step.value} onChange={(e) => { change({ value: e.currentTarget.value }); }} />}
      {step.do === "set" && <Checkbox label="only where it is missing" checked={step.onlyMissing} onChange={(e) => { change({ onlyMissing: e.currentTarget.checked }); }} />}
      {step.do === "rename" && <TextInput label="New name" value={step.to} onChange={(e) => { change({ to: e.currentTarget.value }); }} />}
      {step.do === "replace" && <TextInput label="Text" description="as it is written" value={step.text} onChange={(e) => { change({ text: e.currentTarget.value }); }} />}
      {step.do === "replace" && <TextInput label="By" value={step.by} onChange={(e) => { change({ by: e.currentTarget.value }); }} />}
      {onRemove && <ActionIcon variant="default" aria-label={`Remove step ${String(number)}`} onClick={onRemove}><Icon name="close" size={12} /></ActionIcon>}
    </fieldset>
  );
}
