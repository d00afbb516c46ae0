import { Button } from "@mantine/core";
import type { SchemaField } from "../../api/types";
import { clashingNames, proposedPrefix } from "../equal-names";
import classes from "../composer.module.css";

interface RightPrefixProps {
  /** the fields of both inputs */
  schemas: readonly (readonly SchemaField[])[];
  /** what the join reads on its right side */
  right: string;
  onChange: (prefix: string) => void;
}

/** Proposes a prefix for a join whose inputs have fields of one name, as long as it has none. */
export function RightPrefix({ schemas, right, onChange }: RightPrefixProps) {
  const [left = [], rightFields = []] = schemas;
  if (!right || !clashingNames(left, rightFields).length) return null;
  const prefix = proposedPrefix(right, left, rightFields);
  return (
    <div className={classes["adders"]}>
      <Button
        variant="default"
        size="compact-xs"
        onClick={() => {
          onChange(prefix);
        }}
      >
        Use {prefix}
      </Button>
    </div>
  );
}
