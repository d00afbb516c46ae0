/** Texts beside the records of a followed stream. No React. */

import type { Tail } from "../../live/tail-store";
import { counted } from "../../ui/format/numbers";

export const DEFAULT_RATE = 50;

export const SHOWN_RATES = [
  { value: "5", label: "Max 5/s" },
  { value: "50", label: "Max 50/s" },
  { value: "500", label: "Max 500/s" },
] as const;

/** The choice that an address holds; anything else is the usual one. */
export function readRate(text: string): number {
  return SHOWN_RATES.some(({ value }) => value === text) ? Number(text) : DEFAULT_RATE;
}

/** What of the stream is not on the page, and why. */
export function omittedText(tail: Tail, searching: boolean): string[] {
  const notes: string[] = [];
  if (searching && tail.following)
    notes.push(`${counted(tail.matched, "match", "matches")} in ${counted(tail.evaluated, "record")}`);
  if (tail.unevaluated > 0) notes.push(`${counted(tail.unevaluated, "record")} not filtered (too fast)`);
  if (tail.skipped > 0)
    notes.push(
      searching
        ? `${counted(tail.skipped, "match", "matches")} not shown (rate limit)`
        : `${counted(tail.skipped, "record")} not shown (rate limit)`,
    );
  return notes;
}
