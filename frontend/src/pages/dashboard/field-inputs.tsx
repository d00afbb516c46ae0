/** Choices of a result's fields. */

import { MultiSelect, Select } from "@mantine/core";
import type { Aggregation, SchemaField } from "../../api/types";
import { AGGREGATION_LABELS } from "./panel-kinds";

/** Names to choose from; one that the result no longer has stays visible. */
function names(fields: readonly SchemaField[], chosen: readonly string[]): string[] {
  return [...new Set([...fields.map(({ name }) => name), ...chosen.filter(Boolean)])];
}

interface FieldProps<T> {
  label: string;
  hint?: string;
  fields: readonly SchemaField[];
  value: T;
  onChange: (value: T) => void;
}

export function OneField({ label, fields, value, onChange }: FieldProps<string>) {
  return (
    <Select
      label={label}
      data={names(fields, [value])}
      value={value || null}
      allowDeselect={false}
      required
      searchable={fields.length > 8}
      onChange={(name) => {
        if (name) onChange(name);
      }}
    />
  );
}

export function MaybeField({ label, hint, fields, value, onChange }: FieldProps<string | null>) {
  return (
    <Select
      label={label}
      description={hint}
      data={names(fields, value ? [value] : [])}
      value={value}
      clearable
      placeholder="None"
      onChange={onChange}
    />
  );
}

export function ManyFields({
  label,
  fields,
  value,
  most = 3,
  onChange,
}: FieldProps<string[]> & { most?: number }) {
  return (
    <MultiSelect
      label={label}
      data={names(fields, value)}
      value={value}
      maxValues={most}
      placeholder={value.length ? "" : "None"}
      onChange={onChange}
    />
  );
}

export function AggregationField({
  value,
  onChange,
}: {
  value: Aggregation;
  onChange: (value: Aggregation) => void;
}) {
  return (
    <Select
      label="Aggregation"
      description="For rows of one series at one time"
      data={Object.entries(AGGREGATION_LABELS).map(([name, label]) => ({ value: name, label }))}
      value={value}
      allowDeselect={false}
      onChange={(name) => {
        if (name) onChange(name as Aggregation);
      }}
    />
  );
}
