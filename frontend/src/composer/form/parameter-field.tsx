import { Checkbox, Select, TagsInput, TextInput } from "@mantine/core";
import type { ChangeEvent } from "react";
import type { SchemaField } from "../../api/types";
import { OptionalNumber } from "../../ui/number-field";
import { choices, labelWithUnit, placeholder, TYPES, valueAt, type Field } from "../parameters";
import { ColumnsField } from "./columns-field";
import { DurationInput } from "./duration-input";
import { EmissionField } from "./emission-field";
import { EqualNames } from "./equal-names";
import { ExpressionInput } from "./expression-input";
import { NamedExpressions } from "./named-expressions";
import { PrefixField } from "./prefix-field";
import { RightPrefix } from "./right-prefix";
import { TimeZoneInput } from "./time-zone-input";
import { useCallables } from "./use-callables";
import { asExpression, asText, asTexts } from "./values";
import { WindowForm } from "./window-form";
import classes from "../composer.module.css";

/**
 * Props of a parameter's input: the step's parameters, the fields of its inputs, a setter, and errors by
 * path.
 */
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

/** Each name once: Mantine refuses options that repeat. */
function namesOf(schema: readonly SchemaField[] = [], types?: readonly string[]): string[] {
  const fields = schema.filter(({ type }) => !types || types.some((prefix) => type.startsWith(prefix)));
  return [...new Set(fields.map(({ name }) => name))];
}

/** The input of one parameter; a kind that is not known here is a text. */
export function ParameterField({ field, params, schemas, set, keepLate, wrong }: ParameterFieldProps) {
  const callables = useCallables();
  const value = valueAt(params, field.path);
  const put = (next: unknown) => {
    set(field.path, next);
  };
  const putText = (e: ChangeEvent<HTMLInputElement>) => {
    put(e.currentTarget.value || undefined);
  };
  const within = (...path: string[]) => wrong(...field.path, ...path);
  const first = schemas[0] ?? [];
  const every = schemas.flat();
  const help = field.inline ? { description: field.help } : { title: field.help };
  const common = { label: labelWithUnit(field), error: within(), ...help };
  const initial = asText(field.default);
  switch (field.input) {
    case "expression":
      return (
        <ExpressionInput
          {...common}
          className={classes["fullWidth"] ?? ""}
          placeholder={placeholder(field)}
          schema={every}
          callables={callables}
          value={asExpression(value)}
          onChange={(text) => {
            put(text || (field.required ? "" : undefined));
          }}
        />
      );
    case "number":
    case "integer":
      return (
        <OptionalNumber
          {...common}
          step={field.step ?? 1}
          placeholder={placeholder(field)}
          allowDecimal={field.input === "number"}
          thousandSeparator=","
          value={typeof value === "number" ? value : null}
          onChange={(next) => {
            put(next ?? undefined);
          }}
        />
      );
    case "field":
      return (
        <Select
          {...common}
          searchable
          data={[...new Set([...namesOf(first, field.types), asText(value)])].filter(Boolean)}
          value={asText(value) || null}
          nothingFoundMessage="No matching field in the input"
          onChange={(next) => {
            put(next ?? "");
          }}
        />
      );
    case "fields":
      return <TagsInput {...common} size="xs" data={namesOf(first)} value={asTexts(value)} onChange={put} />;
    case "choice":
      return (
        <Select
          {...common}
          allowDeselect={false}
          data={choices(field)}
          value={asText(value) || initial || null}
          onChange={(next) => {
            put(next === initial ? undefined : (next ?? undefined));
          }}
        />
      );
    case "flag":
      return (
        <Checkbox
          size="xs"
          {...common}
          checked={(value ?? field.default) === true}
          onChange={(e) => {
            const { checked } = e.currentTarget;
            put(checked === field.default ? undefined : checked);
          }}
        />
      );
    case "object": {
      const there = typeof value === "object" && value !== null;
      return (
        <Checkbox
          size="xs"
          {...common}
          className={classes["fullWidth"] ?? ""}
          checked={there}
          onChange={(e) => {
            put(e.currentTarget.checked ? (field.example ?? {}) : undefined);
          }}
        />
      );
    }
    case "mapping":
      return (
        <div className={classes["fullWidth"]}>
          <NamedExpressions
            label={field.label}
            title={field.help}
            entry={field.entry ?? "entry"}
            example={placeholder(field)}
            {...offers(field, schemas)}
            value={value}
            onChange={put}
            wrong={(name) => within(name)}
          />
          {field.values === "right_field" && <EqualNames schemas={schemas} value={value} onChange={put} />}
        </div>
      );
    case "columns":
      return (
        <ColumnsField
          label={field.label}
          help={help}
          entry={field.entry ?? "field"}
          example={placeholder(field)}
          schema={first}
          value={value}
          onChange={put}
          wrong={within}
        />
      );
    case "window":
      return (
        <div className={classes["fullWidth"]}>
          <WindowForm value={value} wrong={within} onChange={put} />
        </div>
      );
    case "emission":
      return (
        <EmissionField {...common} field={field} window={params["window"]} value={value} onChange={put} />
      );
    case "late_rows":
      return (
        <Select
          {...common}
          allowDeselect={false}
          data={choices(field)}
          value={asText(value) || initial}
          onChange={(next) => {
            keepLate(next === "dead_letter");
          }}
        />
      );
    case "prefix":
      return <PrefixField {...common} field={asText(params["field"])} value={value} onChange={put} />;
    case "time_zone":
      return (
        <TimeZoneInput
          {...common}
          value={asText(value)}
          onChange={(next) => {
            put(next || undefined);
          }}
        />
      );
    case "duration":
      return (
        <DurationInput
          {...common}
          placeholder={placeholder(field)}
          value={asText(value)}
          onChange={(text) => {
            put(text || undefined);
          }}
        />
      );
    case "right_prefix":
      return (
        <div>
          <TextInput {...common} placeholder={placeholder(field)} value={asText(value)} onChange={putText} />
          {!value && (
            <RightPrefix
              schemas={schemas}
              right={asText(params["right"] ?? params["table"])}
              onChange={put}
            />
          )}
        </div>
      );
    default:
      return (
        <TextInput {...common} placeholder={placeholder(field)} value={asText(value)} onChange={putText} />
      );
  }
}

/** Suggestions for the keys and values of a mapping, or the fields that its expressions read. */
function offers({ keys, values }: Field, schemas: ParameterFieldProps["schemas"]) {
  const names = keys === "field" ? { names: namesOf(schemas[0]) } : {};
  switch (values) {
    case "expression":
    case "measure":
      return { ...names, schema: schemas.flat(), measures: values === "measure" };
    case "field":
      return { ...names, values: namesOf(schemas[0]) };
    case "right_field":
      return { ...names, values: namesOf(schemas[1]) };
    case "type":
      return { ...names, values: TYPES };
    default:
      return names;
  }
}
