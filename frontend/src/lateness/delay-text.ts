/** What a watermark delay costs and saves, as text. No React. */

import type { Lateness } from "../api/types";
import { count, counted, share } from "../ui/format/numbers";
import { seconds } from "../ui/format/durations";

/** What a delay costs in waiting and saves in rows, as a sentence; a window's grace counts like delay. */
export function delayText({ late, records }: Lateness, at: number): string {
  const chosen = late[at];
  if (!chosen || !records) return "There are no records to measure.";
  const waits = chosen.delay_seconds
    ? `Results wait ${seconds(chosen.delay_seconds)} (delay and grace together)`
    : "Results don't wait";
  const saved = Math.round(((late[0]?.share ?? 0) - chosen.share) * records);
  return `${waits}; ${lateText(chosen.share, records)}${
    saved > 0 ? `; ${count(saved)} fewer than without waiting` : ""
  }.`;
}

/** How many records would be late, as part of a sentence. */
export function lateText(part: number, records: number): string {
  const of = counted(records, "sampled record");
  return part ? `up to ${share(part)} of ${of} would be late` : `none of ${of} would be late`;
}

/** What the measurement rests on. */
export function basisText({ records, slices, span_seconds: span }: Lateness): string {
  const places = counted(slices, "place");
  return `Measured on ${counted(records, "record")} at ${places} over ${seconds(span)} (Kafka timestamps).`;
}

/** Why no delay, or what counts like one, is proposed; empty where one is. */
export function refusalText(
  { proposed_seconds, span_seconds, min_span_seconds }: Lateness,
  what = "delay",
): string {
  if (proposed_seconds !== null) return "";
  return span_seconds < min_span_seconds
    ? `That is too short to propose a ${what}: it takes ${seconds(min_span_seconds)}.`
    : `No ${what} up to a week keeps late records at 0.1% or less.`;
}

/** Index of the greatest delay that isn't longer than this one; 0 without one. */
export function stopOf({ late }: Lateness, delaySeconds: number | null): number {
  const above = late.findIndex(({ delay_seconds: delay }) => delay > (delaySeconds ?? 0));
  return Math.max(0, (above < 0 ? late.length : above) - 1);
}
