import { Checkbox, NumberInput, Select, TagsInput, TextInput } from "@mantine/core";
import type { SchemaField } from "../../api/types";
import { LATE_POLICIES, TYPES, valueAt, type Field, type Offered } from "../parameters";
import { ColumnsField } from "./columns-field";
import { EmissionField } from "./emission-field";
import { ExpressionInput } from "./expression-input";
import { NamedExpressions } from "./named-expressions";
import { PrefixField } from "./prefix-field";
import { useCallables } from "./use-callables";
import { asText, asTexts } from "./values";
import { WindowForm } from "./window-form";
import classes from "../composer.module.css";

/** Props of every parameter input: the step's parameters, the fields of its inputs, a setter, and errors by path. */
export interface ParameterFieldProps {
  field: Field;
  params: Readonly<Record<string, unknown>>;
  /** the fields of each input, in the order of the inputs */
  schemas: readonly (readonly SchemaField[])[];
  set: (path: readonly string[], value: unknown) => void;
  /** send late rows to an output, or drop them */
  keepLate: (kept: boolean) => void;
  wrong: (...path: string[]) => string | null;
}

function namesOf(schema: readonly SchemaField[] = [], types?: readonly string[]): string[] {
  return schema.filter(({ type }) => !types || types.some((wanted) => type.startsWith(wanted))).map(({ name }) => name);
}

/** The input of one parameter, as described in `OPERATORS`. */
export function ParameterField({ field, params, schemas, set, keepLate, wrong }: ParameterFieldProps) {
  const callables = useCallables();
  const value = valueAt(params, field.path);
  const put = (next: unknown) => { set(field.path, next); };
  const within = (...path: string[]) => wrong(...field.path, ...path);
  const first = schemas[0] ?? [];
  const every = schemas.flat();
  const common = { label: field.label, error: within(), ...(field.hint && { description: field.hint }) };
  switch (field.kind) {
    case "expression":
      return (
        <ExpressionInput
          {...common}
          className={classes["whole"] ?? ""}
          placeholder={field.example}
          schema={every}
          callables={callables}
          value={asText(value)}
          onChange={(text) => { put(text || (field.optional ? undefined : "")); }}
        />
      );
    case "text":
      return <TextInput {...common} placeholder={field.example ?? ""} value={asText(value)} onChange={(e) => { put(e.currentTarget.value || undefined); }} />;
    case "number":
      return <NumberInput {...common} step={field.step} placeholder={field.example ?? ""} allowDecimal={!field.whole} thousandSeparator="," value={typeof value === "number" ? value : ""} onChange={(next) => { put(typeof next === "number" ? next : undefined); }} />;
    case "field":
      return <Select {...common} searchable data={[...new Set([...namesOf(first, field.types), asText(value)])].filter(Boolean)} value={asText(value) || null} nothingFoundMessage="No matching field in the input" onChange={(next) => { put(next ?? ""); }} />;
    case "fields":
      return <TagsInput {...common} size="xs" data={namesOf(first)} value={asTexts(value)} onChange={put} />;
    case "choice":
      return <Select {...common} allowDeselect={false} data={[...field.options]} value={asText(value) || field.initial} onChange={(next) => { put(next === field.initial ? undefined : (next ?? undefined)); }} />;
    case "flag":
      return <Checkbox size="xs" {...common} checked={value === true} onChange={(e) => { put(e.currentTarget.checked || undefined); }} />;
    case "present": {
      const there = typeof value === "object" && value !== null;
      return <Checkbox size="xs" {...common} className={classes["whole"] ?? ""} checked={there} onChange={(e) => { put(e.currentTarget.checked ? field.begins : undefined); }} />;
    }
    case "named":
      return (
        <div className={classes["whole"]}>
          <NamedExpressions
            label={field.label}
            what={field.what}
            example={field.example}
            {...(field.reads === "text" ? offers(field, schemas) : { schema: every, measures: field.reads === "measure" })}
            value={value}
            onChange={put}
            wrong={(name) => within(name)}
          />
        </div>
      );
    case "columns":
      return <ColumnsField {...field} schema={first} value={value} onChange={put} wrong={within} />;
    case "window":
      return <div className={classes["whole"]}><WindowForm value={value} wrong={within} onChange={put} /></div>;
    case "emission":
      return <EmissionField {...common} window={params["window"]} value={value} onChange={put} />;
    case "late":
      return <Select {...common} allowDeselect={false} data={[...LATE_POLICIES]} value={asText(value) || "drop"} onChange={(next) => { keepLate(next === "dead_letter"); }} />;
    case "prefix":
      return <PrefixField {...common} field={asText(params["field"])} value={value} onChange={put} />;
  }
}

function offers({ left, right }: { left?: Offered; right?: Offered }, schemas: ParameterFieldProps["schemas"]) {
  const offered = (what: Offered) => (what === "types" ? TYPES : namesOf(schemas[what === "first" ? 0 : 1]));
  return { ...(left && { names: offered(left) }), ...(right && { values: offered(right) }) };
}
