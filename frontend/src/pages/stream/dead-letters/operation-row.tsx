import { ActionIcon, Checkbox, Select, TextInput } from "@mantine/core";
import { Icon } from "../../../ui/icons";
import { valueOf, type Draft } from "./edit-operations";
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

/** One edit operation as it is typed. */
export function OperationRow({ step, number, onChange, onRemove }: OperationRowProps) {
  const change = (part: Partial<Draft>) => {
    onChange({ ...step, ...part });
  };
  return (
    <fieldset className={classes["step"]}>
      <legend className="visually-hidden">Edit {number}</legend>
      <Select
        label="Operation"
        allowDeselect={false}
        data={VERBS}
        value={step.op}
        onChange={(verb) => {
          if (verb) change({ op: verb as Draft["op"] });
        }}
      />
      {step.op !== "replace" && (
        <TextInput
          label="Field"
          description="e.g. user.id"
          value={step.field}
          onChange={(e) => {
            change({ field: e.currentTarget.value });
          }}
        />
      )}
      {step.op === "set" && (
        <TextInput
          label="Value"
          description={'JSON, e.g. 5, true, null or "5"; anything else is a string'}
          value={step.value}
          error={
            step.value.trim() !== "" &&
            valueOf(step.value) === undefined &&
            "This number has more digits than a browser keeps. Edit the dead letters one by one."
          }
          onChange={(e) => {
            change({ value: e.currentTarget.value });
          }}
        />
      )}
      {step.op === "set" && (
        <Checkbox
          label="Only if missing"
          checked={step.onlyMissing}
          onChange={(e) => {
            change({ onlyMissing: e.currentTarget.checked });
          }}
        />
      )}
      {step.op === "rename" && (
        <TextInput
          label="New name"
          value={step.to}
          onChange={(e) => {
            change({ to: e.currentTarget.value });
          }}
        />
      )}
      {step.op === "replace" && (
        <TextInput
          label="Find text"
          value={step.text}
          onChange={(e) => {
            change({ text: e.currentTarget.value });
          }}
        />
      )}
      {step.op === "replace" && (
        <TextInput
          label="Replace with"
          value={step.by}
          onChange={(e) => {
            change({ by: e.currentTarget.value });
          }}
        />
      )}
      {onRemove && (
        <ActionIcon variant="default" aria-label={`Remove edit ${String(number)}`} onClick={onRemove}>
          <Icon name="close" size={12} />
        </ActionIcon>
      )}
    </fieldset>
  );
}
