import type { ReactNode } from "react";
import classes from "./description-list.module.css";

/** A row of named facts: label above, value below. */
export function DescriptionList({ children }: { children: ReactNode }) {
  return <dl className={classes["facts"]}>{children}</dl>;
}

export function DescriptionItem({ label, children, note }: { label: string; children: ReactNode; note?: ReactNode }) {
  return (
    <div className={classes["fact"]}>
      <dt>{label}</dt>
      <dd>
        <span className={classes["value"]}>{children}</span>
        {note && <span className={classes["note"]}>{note}</span>}
      </dd>
    </div>
  );
}
