/** Values of a profile as text. No React. */

import type { FieldProfile, Lateness } from "../../../api/types";
import { UNKNOWN, count, counted, share } from "../../../ui/format/numbers";
import { seconds } from "../../../ui/format/durations";

/** A value of a record, as JSON writes it; texts without quotes. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined) return UNKNOWN;
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** `'OK' 412, 'FAILED' 61`: the most frequent values; what all values being different means in words. */
export function topText({ top, distinct }: FieldProfile, rows: number): string {
  if (top.length)
    return top.map(({ value, records }) => `${valueText(value)} (${count(records)})`).join(", ");
  return distinct !== null && distinct > 1 && rows > 1 ? "all different" : UNKNOWN;
}

/** `2 … 9`; one value alone where both are equal. */
export function rangeText({ lowest, highest }: FieldProfile): string {
  const [low, high] = [valueText(lowest), valueText(highest)];
  return low === high ? low : `${low} … ${high}`;
}

/** What a delay costs and saves, as a sentence. */
export function delayText({ late, records }: Lateness, at: number): string {
  const chosen = late[at];
  if (!chosen || !records) return "There are no records to measure.";
  const waits = chosen.delay_seconds ? `Results wait ${seconds(chosen.delay_seconds)}` : "Results don't wait";
  return `${waits}; ${lateText(chosen.share, records)}.`;
}

function lateText(part: number, records: number): string {
  const of = counted(records, "record");
  return part
    ? `up to ${share(part)} of the newest ${of} would be late`
    : `none of the newest ${of} would be late`;
}

/** Index of the greatest delay that isn't longer than this one; 0 without one. */
export function stopOf({ late }: Lateness, delaySeconds: number | null): number {
  const above = late.findIndex(({ delay_seconds: delay }) => delay > (delaySeconds ?? 0));
  return Math.max(0, (above < 0 ? late.length : above) - 1);
}
