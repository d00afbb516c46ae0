import type { ReactNode } from "react";
import { TERMS } from "./terms";
import classes from "./description-list.module.css";

/** A row of named facts: label above, value below. */
export function DescriptionList({ children }: { children: ReactNode }) {
  return <dl className={classes["facts"]}>{children}</dl>;
}

/** @param term what the label means, as a key of `TERMS`; the label itself by default */
export function DescriptionItem({
  label,
  term = label,
  children,
  note,
}: {
  label: string;
  term?: string;
  children: ReactNode;
  note?: ReactNode;
}) {
  return (
    <div className={classes["fact"]}>
      <dt title={TERMS[term]}>{label}</dt>
      <dd>
        <span className={classes["value"]}>{children}</span>
        {note && <span className={classes["note"]}>{note}</span>}
      </dd>
    </div>
  );
}
