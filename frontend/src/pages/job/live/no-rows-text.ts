/** Why a running job has no result row yet, from what it has counted. No React. */

import type { Job, RunCounts } from "../../../api/types";
import { counted } from "../../../ui/format/numbers";
import { holdingSteps, isRecord } from "./holding-steps";

/**
 * What is known: what was read, what of it was lost, and which steps may hold rows back. Rows are not counted
 * per step, so no step is blamed.
 *
 * @param counts of the generation; null or without a batch while nothing is counted
 * @param document of the running version; null while it is not known
 */
export function noRowsText(
  job: Pick<Job, "lag">,
  counts: RunCounts | null | undefined,
  document: unknown,
): string {
  if (!counts?.batches || counts.rows_in === 0) return waitingText(job);
  if (counts.rows_out > 0)
    return `${counted(counts.rows_out, "row")} written; the rows shown were deleted or have expired.`;
  return [readText(counts), ...lossText(counts), stepsText(document)].filter(Boolean).join(" ");
}

function waitingText({ lag }: Pick<Job, "lag">): string {
  const waiting = lag?.records ?? null;
  if (waiting === null) return "Just started; lag isn't known yet.";
  if (waiting > 0) return `${counted(waiting, "record")} to read. The first batch takes longest.`;
  return "Caught up. Waiting for new records.";
}

function readText(counts: RunCounts): string {
  const sources = Object.entries(counts.sources);
  if (sources.length < 2) return `${counted(counts.rows_in, "record")} read, no row written.`;
  const each = sources.map(([name, { records }]) => `${name} ${counted(records, "record")}`).join(", ");
  return `Read: ${each}. No row written.`;
}

/** Malformed and late records are named only where there are some. */
function lossText(counts: RunCounts): string[] {
  const malformed = Object.values(counts.sources).reduce((sum, source) => sum + source.malformed, 0);
  const lost = [
    malformed > 0 && `${counted(malformed, "record")} malformed`,
    counts.late > 0 && `at least ${counted(counts.late, "row")} late`,
    counts.expression_nulls > 0 &&
      `${counted(counts.expression_nulls, "value")} null because an expression failed`,
  ].filter((text) => text !== false);
  return [lost.length ? `${lost.join(", ")}.` : "None was malformed or late."];
}

function stepsText(document: unknown): string {
  const steps = holdingSteps(isRecord(document) ? document : {});
  if (!steps.length) return "";
  const which = steps.map(({ name, why }) => `${name} (${why})`).join("; ");
  return `Steps that can hold rows back: ${which}.`;
}
