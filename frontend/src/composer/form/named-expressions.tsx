import { ActionIcon, Button, TextInput } from "@mantine/core";
import type { SchemaField } from "../../api/types";
import { Icon } from "../../ui/icons";
import { ExpressionInput } from "./expression-input";
import { useCallables } from "./use-callables";
import { asNamed } from "./values";
import classes from "../composer.module.css";

interface NamedExpressionsProps {
  label: string;
  /** the fields that an expression may read; without them the values are plain texts */
  schema?: readonly SchemaField[];
  measures?: boolean;
  /** what one row is, such as field or measure */
  what: string;
  example: string;
  value: unknown;
  onChange: (value: Record<string, string>) => void;
  wrong: (name: string) => string | null;
}

/** Rows of name and expression, in order. */
export function NamedExpressions({ label, schema, measures = false, what, example, value, onChange, wrong }: NamedExpressionsProps) {
  const callables = useCallables(measures);
  const rows = asNamed(value);
  const replace = (at: number, name: string, expression: string) => {
    onChange(Object.fromEntries(rows.map((row, index) => (index === at ? [name, expression] : row))));
  };
  const free = () => {
    let n = rows.length + 1;
    while (rows.some(([name]) => name === `${what}_${String(n)}`)) n += 1;
    return `${what}_${String(n)}`;
  };
  return (
    <div className={classes["pairs"]} role="group" aria-label={label}>
      <span className={classes["pairsHead"]}>{label}</span>
      {rows.map(([name, expression], index) => (
        <div key={index} className={classes["pair"]}>
          <TextInput aria-label={`Name of ${what} ${String(index + 1)}`} value={name} onChange={(e) => { replace(index, e.currentTarget.value, expression); }} />
          {schema ? (
            <ExpressionInput aria-label={`Expression of ${name}`} placeholder={example} schema={schema} callables={callables} value={expression} error={wrong(name)} onChange={(text) => { replace(index, name, text); }} />
          ) : (
            <TextInput aria-label={`Value of ${name}`} className={classes["mono"] ?? ""} placeholder={example} value={expression} error={wrong(name)} onChange={(e) => { replace(index, name, e.currentTarget.value); }} />
          )}
          <ActionIcon variant="subtle" color="gray" size={32} aria-label={`Remove ${name}`} onClick={() => { onChange(Object.fromEntries(rows.filter((_, other) => other !== index))); }}>
            <Icon name="close" size={14} />
          </ActionIcon>
        </div>
      ))}
      <Button variant="subtle" style={{ alignSelf: "flex-start" }} leftSection={<Icon name="plus" size={14} />} onClick={() => { onChange({ ...Object.fromEntries(rows), [free()]: "" }); }}>
        Add a {what}
      </Button>
    </div>
  );
}
