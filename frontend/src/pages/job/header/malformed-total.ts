/** What a job's sources have lost to malformed records since its generation began. No React. */

import type { Job, RunCounts } from "../../../api/types";

export interface MalformedTotal {
  records: number;
  malformed: number;
}

/**
 * The total over all sources, or null where nothing is malformed or nothing was counted yet.
 *
 * @param shown sources that have a panel of their own already
 */
export function malformedTotal(
  counts: RunCounts | null | undefined,
  shown: Job["skipping"],
): MalformedTotal | null {
  const told = new Set(shown.map(({ source }) => source));
  const rest = Object.entries(counts?.sources ?? {}).filter(
    ([name, { malformed }]) => malformed > 0 && !told.has(name),
  );
  if (!rest.length) return null;
  return rest.reduce(
    (sum, [, { records, malformed }]) => ({
      records: sum.records + records,
      malformed: sum.malformed + malformed,
    }),
    { records: 0, malformed: 0 },
  );
}
