import type { Job } from "../../../api/types";
import { counted, rate } from "../../../ui/format/numbers";

/** Why a running job has no result row yet, from its reported input rate and lag. */
export function noRowsText(job: Pick<Job, "rows_per_second" | "lag">): string {
  if ((job.rows_per_second ?? 0) > 0) {
    const input = rate(job.rows_per_second, "records");
    return `Reading ${input}, but all were filtered out, malformed or late. See the Lag tab.`;
  }
  const waiting = job.lag?.records ?? null;
  if (waiting === null) return "Just started; lag isn't known yet.";
  if (waiting > 0) return `${counted(waiting, "record")} to read. The first batch takes longest.`;
  return "Caught up. Waiting for new records.";
}
