/** Problems of SQL text at their places. No React. */

import type { Problem } from "../../api/types";
import type { Located } from "../document-text";
import { offsetOf } from "./text";

/** A problem of SQL text; `shown` is false where the text has no place for it. */
export interface SqlProblem extends Located {
  shown: boolean;
}

const NOTHING: Problem = {
  code: "SQL_EMPTY",
  path: [],
  message: "No statement yet.",
  hint: "Example: SELECT * FROM a_stream;",
  severity: "error",
  span: null,
};

/** A problem with a place names its line, which says more in a text than a path in the document. */
export function locateSql(text: string, problems: readonly Problem[], isRead: boolean): SqlProblem[] {
  const found = isRead || problems.length ? problems : [NOTHING];
  return found.map((problem) => {
    const [first, end = first] = problem.span ?? [];
    if (first === undefined || end === undefined)
      return { from: 0, to: 0, shown: false, problem: { ...problem, path: named(problem) } };
    const from = offsetOf(text, first);
    const line = text.slice(0, from).split("\n").length;
    const path = [`Line ${String(line)}`];
    return { from, to: offsetOf(text, end), shown: true, problem: { ...problem, path } };
  });
}

/** All problems of the language have one path, which says nothing. */
function named({ path }: Problem): string[] {
  return path.join() === "sql" ? [] : path;
}
