import { ActionIcon, Autocomplete, Button, TextInput } from "@mantine/core";
import { useState } from "react";
import type { SchemaField } from "../../api/types";
import { Icon } from "../../ui/icons";
import { ExpressionInput } from "./expression-input";
import { useCallables } from "./use-callables";
import { asNamed, entriesOf, refusalOf, withEntry } from "./values";
import classes from "../composer.module.css";

interface NamedExpressionsProps {
  label: string;
  title?: string | undefined;
  /** fields available to expressions; without them the values are plain texts */
  schema?: readonly SchemaField[];
  measures?: boolean;
  /** noun for one row, e.g. field or measure */
  entry: string;
  example: string;
  /** suggestions for names and plain values */
  names?: readonly string[];
  values?: readonly string[];
  value: unknown;
  onChange: (value: Record<string, unknown>) => void;
  wrong: (name: string) => string | null;
}

/** Rows of name and expression, in order. */
export function NamedExpressions({
  label,
  title,
  schema,
  measures = false,
  entry,
  example,
  names,
  values,
  value,
  onChange,
  wrong,
}: NamedExpressionsProps) {
  const callables = useCallables(measures);
  const rows = asNamed(value);
  const replace = (at: number, entry: Parameters<typeof withEntry>[2]) => {
    onChange(withEntry(value, at, entry));
  };
  const free = () => {
    if (names) return "";
    let n = rows.length + 1;
    while (rows.some(([name]) => name === `${entry}_${String(n)}`)) n += 1;
    return `${entry}_${String(n)}`;
  };
  return (
    <div className={classes["pairs"]} role="group" aria-label={label}>
      <span className={classes["pairsHead"]} title={title}>
        {label}
      </span>
      {rows.map(([name, expression], index) => (
        <div key={index} className={classes["pair"]}>
          <Name
            label={`Name of ${entry} ${String(index + 1)}`}
            {...(names && { offered: names })}
            name={name}
            others={rows.filter((_, other) => other !== index).map(([other]) => other)}
            onChange={(next) => {
              replace(index, { name: next });
            }}
          />
          {schema ? (
            <ExpressionInput
              aria-label={`Expression of ${name}`}
              placeholder={example}
              schema={schema}
              callables={callables}
              value={expression}
              error={wrong(name)}
              onChange={(text) => {
                replace(index, { of: text });
              }}
            />
          ) : (
            <Autocomplete
              size="xs"
              aria-label={`Value of ${name || `${entry} ${String(index + 1)}`}`}
              className={classes["mono"] ?? ""}
              placeholder={example}
              data={[...(values ?? [])]}
              value={expression}
              error={wrong(name)}
              onChange={(text) => {
                replace(index, { of: text });
              }}
            />
          )}
          <ActionIcon
            variant="subtle"
            color="gray"
            size={32}
            aria-label={`Remove ${name || `${entry} ${String(index + 1)}`}`}
            onClick={() => {
              onChange(Object.fromEntries(entriesOf(value).filter((_, other) => other !== index)));
            }}
          >
            <Icon name="close" size={14} />
          </ActionIcon>
        </div>
      ))}
      <Button
        variant="subtle"
        style={{ alignSelf: "flex-start" }}
        leftSection={<Icon name="plus" size={14} />}
        disabled={rows.some(([name]) => name === "")}
        onClick={() => {
          onChange({ ...Object.fromEntries(entriesOf(value)), [free()]: "" });
        }}
      >
        Add {entry}
      </Button>
    </div>
  );
}

interface NameProps {
  label: string;
  offered?: readonly string[];
  name: string;
  others: readonly string[];
  onChange: (name: string) => void;
}

/** A name that must be unique: what may not be one is not applied, because it would change other rows. */
function Name({ label, offered, name, others, onChange }: NameProps) {
  const [refused, setRefused] = useState<{ text: string; why: string } | null>(null);
  const typed = (text: string) => {
    const why = refusalOf(text, others);
    setRefused(why === null ? null : { text, why });
    if (why === null) onChange(text);
  };
  const common = {
    "aria-label": label,
    value: refused?.text ?? name,
    error: refused?.why ?? null,
  };
  const left = () => {
    setRefused(null);
  };
  return offered ? (
    <Autocomplete size="xs" {...common} data={[...offered]} onChange={typed} onBlur={left} />
  ) : (
    <TextInput
      {...common}
      onChange={(e) => {
        typed(e.currentTarget.value);
      }}
      onBlur={left}
    />
  );
}
