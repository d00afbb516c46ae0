import { lineDiff, type DiffLine } from "./line-diff";
import classes from "./drafts.module.css";

const SIGNS: Readonly<Record<DiffLine["kind"], string>> = { same: " ", removed: "−", added: "+" };

/** Two texts, line by line. */
export function LineDiff({ before, after, label }: { before: string; after: string; label: string }) {
  return (
    <pre className={classes["lines"]} tabIndex={0} aria-label={label}>
      {lineDiff(before, after).map(({ kind, text: line }, index) => (
        <div key={index} className={classes[kind]}>
          {SIGNS[kind]} {line}
        </div>
      ))}
    </pre>
  );
}
