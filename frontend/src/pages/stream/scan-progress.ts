/** How far a search has come. No React. */

import type { Scan } from "../../api/types";

/**
 * Offsets of the stretch that was asked for, and how many of them were looked at. Offsets, not records: compaction and
 * markers of transactions leave holes that no look counts.
 */
export function scanProgress(looked: readonly Scan[]): { done: number; of: number } {
  const of = (looked.at(-1)?.partitions ?? []).reduce((sum, { first, last }) => sum + last - first, 0);
  const done = looked.flatMap(({ partitions }) => partitions).reduce((sum, { from, to }) => sum + to - from, 0);
  return { done: Math.min(done, of), of };
}
