import type { GroupPartition } from "../../api/types";
import { measured } from "../../ui/format/numbers";
import classes from "./consumers.module.css";

/** Records per second that are written and read: the unit stands above the column. */
export function Rates({ of: { in_rate, out_rate } }: { of: Pick<GroupPartition, "in_rate" | "out_rate"> }) {
  return (
    <>
      {measured(in_rate)} in<div className={classes["sub"]}>{measured(out_rate)} out</div>
    </>
  );
}
