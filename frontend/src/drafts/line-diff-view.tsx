import { counted } from "../ui/format/numbers";
import { foldedDiff, lineDiff, type DiffLine } from "./line-diff";
import classes from "./drafts.module.css";

const SIGNS: Readonly<Record<DiffLine["kind"], string>> = { same: " ", removed: "−", added: "+" };

/** Two texts, line by line; what is far from every change is folded. */
export function LineDiff({ before, after, label }: { before: string; after: string; label: string }) {
  return (
    <pre className={classes["lines"]} tabIndex={0} aria-label={label}>
      {foldedDiff(lineDiff(before, after)).map((line, index) => (
        <div key={index} className={classes[line.kind]}>
          {line.kind === "folded"
            ? `⋯ ${counted(line.count, "line")} unchanged`
            : `${SIGNS[line.kind]} ${line.text}`}
        </div>
      ))}
    </pre>
  );
}
