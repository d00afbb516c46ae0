/** Evidence of a diagnosis as text with its unit. No React. */

import type { DiagnosisFact } from "../../../api/types";
import { seconds } from "../../../ui/format/durations";
import { count, share, UNKNOWN } from "../../../ui/format/numbers";

/** An instant is not a text here: it is shown in the reader's zone (`Time`). */
export function factText({ kind, value }: DiagnosisFact): string {
  if (typeof value !== "number") return typeof value === "string" && value ? value : UNKNOWN;
  switch (kind) {
    case "share":
      return share(value);
    case "seconds":
      return seconds(value);
    default:
      return count(value);
  }
}
