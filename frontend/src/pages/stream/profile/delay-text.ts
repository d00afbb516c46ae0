/** What a watermark delay costs and saves, as text. No React. */

import type { Lateness } from "../../../api/types";
import { counted, share } from "../../../ui/format/numbers";
import { seconds } from "../../../ui/format/durations";

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
