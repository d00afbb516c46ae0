import { Button, TagsInput } from "@mantine/core";
import type { SchemaField } from "../../api/types";
import { asNamed, asTexts } from "./values";
import { NamedExpressions } from "./named-expressions";
import classes from "../composer.module.css";

interface ColumnsFieldProps {
  label: string;
  /** description or tooltip */
  help: { description?: string | undefined; title?: string | undefined };
  entry: string;
  example: string;
  schema: readonly SchemaField[];
  value: unknown;
  onChange: (value: readonly string[] | Record<string, unknown>) => void;
  wrong: (...path: string[]) => string | null;
}

/** Field names, or named expressions; each form can be converted into the other. */
export function ColumnsField({
  label,
  help,
  entry,
  example,
  schema,
  value,
  onChange,
  wrong,
}: ColumnsFieldProps) {
  const named = typeof value === "object" && value !== null && !Array.isArray(value);
  const rows = asNamed(value);
  const plain = rows.every(([name, expression]) => name === expression);
  return (
    <div className={classes["columnsField"]}>
      {named ? (
        <NamedExpressions
          label={label}
          title={help.title}
          schema={schema}
          entry={entry}
          example={example}
          value={value}
          onChange={onChange}
          wrong={(name) => wrong(name)}
        />
      ) : (
        <TagsInput
          size="xs"
          label={label}
          {...help}
          data={[...new Set(schema.map(({ name }) => name))]}
          value={asTexts(value)}
          error={wrong()}
          onChange={onChange}
        />
      )}
      {!named && (
        <Button
          variant="subtle"
          onClick={() => {
            onChange(Object.fromEntries(asTexts(value).map((name) => [name, name])));
          }}
        >
          Add expressions
        </Button>
      )}
      {named && plain && (
        <Button
          variant="subtle"
          onClick={() => {
            onChange(rows.map(([name]) => name));
          }}
        >
          Use field names only
        </Button>
      )}
    </div>
  );
}
