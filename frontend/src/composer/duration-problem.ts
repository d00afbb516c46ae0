/** What is wrong with a duration that was typed. No React. */

import { parseDuration } from "../ui/format/durations";

/** An empty text is no fault here: the default holds, or the server says that a value is missing. */
export function durationProblem(text: string): string | null {
  if (!text.trim() || parseDuration(text) !== null) return null;
  return "Not a duration. Enter e.g. 250ms, 90s, 30 min, 2h or 1 d.";
}
