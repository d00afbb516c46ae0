/** How far a search has come. No React. */

import type { Scan } from "../../api/types";

/**
 * Number of offsets that a search covers, and how many were scanned. Offsets, not records: compaction and
 * transaction markers leave gaps that no scan counts.
 */
export function scanProgress(scans: readonly Scan[]): { done: number; of: number } {
  const of = (scans.at(-1)?.partitions ?? []).reduce(
    (sum, { range_start, range_end }) => sum + range_end - range_start,
    0,
  );
  const done = scans
    .flatMap(({ partitions }) => partitions)
    .reduce((sum, { from, to }) => sum + to - from, 0);
  return { done: Math.min(done, of), of };
}
