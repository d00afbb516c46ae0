import type { Problem } from "../api/types";
import { Badge } from "../ui/status";
import classes from "./composer.module.css";

interface ProblemListProps {
  problems: readonly Problem[];
  onChoose?: (index: number) => void;
  /** whether a problem has a place to go to; left out, all have */
  isPlaced?: (problem: Problem) => boolean;
}

/** All problems of a document: where, what, what to do. */
export function ProblemList({ problems, onChoose, isPlaced }: ProblemListProps) {
  return (
    <ul className={classes["problems"]} aria-live="polite">
      {problems.map((problem, index) => (
        <li key={`${problem.code} ${problem.path.join(".")} ${String(index)}`}>
          <Badge tone={problem.severity === "error" ? "bad" : "warn"} plain>
            {problem.severity === "error" ? "Error" : "Warning"}
          </Badge>
          <ProblemPath
            problem={problem}
            {...(onChoose &&
              (isPlaced?.(problem) ?? true) && {
                onClick: () => {
                  onChoose(index);
                },
              })}
          />
          <p>
            {problem.message} {problem.hint && <span className="soft">{problem.hint}</span>}
          </p>
        </li>
      ))}
    </ul>
  );
}

function ProblemPath({ problem, onClick }: { problem: Problem; onClick?: () => void }) {
  const words = problem.path.join(" › ") || "Document";
  const code = <span className={classes["code"]}>{problem.code}</span>;
  if (!onClick)
    return (
      <span className={classes["path"]}>
        {words} {code}
      </span>
    );
  return (
    <button type="button" className={classes["placeButton"]} onClick={onClick}>
      {words} {code}
    </button>
  );
}

/** The problems at a path or below it, as one text for a field; null when there is none. */
export function problemsAt(problems: readonly Problem[], path: readonly string[]): string | null {
  const here = problems.filter(
    (problem) => problem.severity === "error" && path.every((part, index) => problem.path[index] === part),
  );
  return here.length
    ? here.map(({ message, hint }) => (hint ? `${message} ${hint}` : message)).join(" ")
    : null;
}
