import { Button } from "@mantine/core";
import type { SchemaField } from "../../api/types";
import { equalNames } from "../equal-names";
import { asNamed } from "./values";
import classes from "../composer.module.css";

interface EqualNamesProps {
  /** the fields of both inputs */
  schemas: readonly (readonly SchemaField[])[];
  value: unknown;
  onChange: (value: Record<string, string>) => void;
}

/** Proposes fields that both inputs of a join have, as its key. */
export function EqualNames({ schemas, value, onChange }: EqualNamesProps) {
  const pairs = asNamed(value);
  const names = equalNames(schemas[0] ?? [], schemas[1] ?? [], pairs);
  if (!names.length) return null;
  return (
    <div className={classes["adders"]}>
      <span className="soft">Both have:</span>
      {names.map((name) => (
        <Button
          key={name}
          variant="default"
          size="compact-xs"
          onClick={() => {
            onChange({ ...Object.fromEntries(pairs.filter(([left]) => left !== "")), [name]: name });
          }}
        >
          Match {name}
        </Button>
      ))}
    </div>
  );
}
