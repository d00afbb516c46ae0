import type { Job } from "../../../api/types";
import { counted, rate } from "../../../ui/format/numbers";

/** Why a running job has given no row yet, from what was heard of its input. */
export function noRowsText(job: Pick<Job, "rows_per_second" | "lag">): string {
  if ((job.rows_per_second ?? 0) > 0)
    return `It reads ${rate(job.rows_per_second, "records")}, so each record so far was filtered out, malformed or late. The Lag tab shows the counts.`;
  const waiting = job.lag?.records ?? null;
  if (waiting === null) return "It has only begun: how much of its input waits is not known yet.";
  if (waiting > 0) return `${counted(waiting, "record")} of its input wait to be read. The first batch of a query takes longest.`;
  return "It has read all of its input. With no new records there is nothing to compute.";
}
