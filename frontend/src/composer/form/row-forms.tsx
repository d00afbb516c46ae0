/** Forms of operators that work row by row and whose parameters take several shapes. */

import { Checkbox, Select, TagsInput, TextInput } from "@mantine/core";
import { NamedExpressions } from "./named-expressions";
import type { ParametersProps } from "./step-form";
import { asText, asTexts } from "./values";
import classes from "../composer.module.css";

export function SelectForm({ params, schema, set, wrong }: ParametersProps) {
  const fields = params["fields"];
  if (typeof fields === "object" && fields !== null && !Array.isArray(fields)) {
    return <NamedExpressions label="Fields" schema={schema} what="field" example="symbol" value={fields} onChange={(value) => { set(["fields"], value); }} wrong={(name) => wrong("fields", name)} />;
  }
  return <TagsInput size="xs" label="Fields, in this order" data={schema.map(({ name }) => name)} value={asTexts(fields)} error={wrong("fields")} onChange={(value) => { set(["fields"], value); }} />;
}

export function SplitForm({ params, schema, set, wrong }: ParametersProps) {
  const texts = schema.filter(({ type }) => type === "string").map(({ name }) => name);
  const by = asText(params["by"]) || "words";
  return (
    <div className={classes["form"]}>
      <div className={classes["row"]}>
        <Select label="Text field" data={texts} value={asText(params["field"]) || null} error={wrong("field")} onChange={(value) => { set(["field"], value ?? ""); }} />
        <TextInput label="Name of the new field" value={asText(params["as"])} error={wrong("as")} onChange={(e) => { set(["as"], e.currentTarget.value); }} />
        <TextInput label="Split by" description="“words”, or a text such as ;" value={by} error={wrong("by")} onChange={(e) => { set(["by"], e.currentTarget.value || undefined); }} />
      </div>
      <Checkbox size="xs" label="In lower case" checked={params["lower"] === true} onChange={(e) => { set(["lower"], e.currentTarget.checked); }} />
    </div>
  );
}
