/** What saving a document does to a job's state. No React. */

import type { JobDiff } from "../../../api/types";

/**
 * The outcome that saving names, so that the server refuses another.
 *
 * @param diff of the document with the version it was written from; undefined: not known yet
 * @returns null where the document can't be saved. One that differs in its comments alone can.
 */
export function expectedOf(
  diff: Pick<JobDiff, "outcome"> | undefined,
): "same_state" | "new_generation" | null {
  switch (diff?.outcome) {
    case undefined:
    case "invalid":
      return null;
    case "new_generation":
      return "new_generation";
    case "same_state":
    case "no_change":
      return "same_state";
  }
}
