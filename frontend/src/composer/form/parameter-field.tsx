import { Checkbox, NumberInput, Select, TagsInput, TextInput } from "@mantine/core";
import { ExpressionInput } from "./expression-input";
import { NamedExpressions } from "./named-expressions";
import type { Field } from "../operators";
import type { ParametersProps } from "./step-form";
import { useCallables } from "./use-callables";
import { asText, asTexts } from "./values";
import classes from "../composer.module.css";

function valueAt(params: ParametersProps["params"], path: readonly string[]): unknown {
  return path.reduce<unknown>((value, name) => (typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined), params);
}

function fitting(schema: ParametersProps["schema"], types: readonly string[] | undefined): string[] {
  return schema.filter(({ type }) => !types || types.some((wanted) => type.startsWith(wanted))).map(({ name }) => name);
}

/** The field of one parameter, as the table of operators describes it. */
export function ParameterField({ field, params, schema, set, wrong }: ParametersProps & { field: Field }) {
  const callables = useCallables();
  const value = valueAt(params, field.path);
  const put = (next: unknown) => { set(field.path, next); };
  const common = { label: field.label, error: wrong(...field.path), ...("hint" in field && { description: field.hint }) };
  switch (field.kind) {
    case "expression":
      return (
        <ExpressionInput
          {...common}
          className={classes["whole"] ?? ""}
          placeholder={field.example}
          schema={schema}
          callables={callables}
          value={asText(value)}
          onChange={(text) => { put(text || (field.optional ? undefined : "")); }}
        />
      );
    case "text":
      return <TextInput {...common} placeholder={field.example ?? ""} value={asText(value)} onChange={(e) => { put(e.currentTarget.value || undefined); }} />;
    case "number":
      return <NumberInput {...common} step={0.05} value={typeof value === "number" ? value : ""} onChange={(next) => { put(typeof next === "number" ? next : undefined); }} />;
    case "field":
      return <Select {...common} searchable data={fitting(schema, field.types)} value={asText(value) || null} nothingFoundMessage="The input has no such field" onChange={(next) => { put(next ?? ""); }} />;
    case "fields":
      return <TagsInput {...common} size="xs" data={schema.map(({ name }) => name)} value={asTexts(value)} onChange={put} />;
    case "choice":
      return <Select {...common} allowDeselect={false} data={[...field.options]} value={asText(value) || field.initial} onChange={(next) => { put(next ?? undefined); }} />;
    case "flag":
      return <Checkbox size="xs" label={field.label} checked={value === true} onChange={(e) => { put(e.currentTarget.checked || undefined); }} />;
    case "present":
      return <Checkbox size="xs" label={field.label} checked={typeof value === "object" && value !== null} onChange={(e) => { put(e.currentTarget.checked ? {} : undefined); }} />;
    case "named":
      return (
        <div className={classes["whole"]}>
          <NamedExpressions label={field.label} {...(field.reads === "expression" && { schema })} what={field.what} example={field.example} value={value} onChange={put} wrong={(name) => wrong(...field.path, name)} />
        </div>
      );
  }
}
