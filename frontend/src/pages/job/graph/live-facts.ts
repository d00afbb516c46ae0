/** What a running job tells of the nodes of its drawing. No React. */

import type { JobLag } from "../../../api/types";
import type { Fact } from "../../../composer/drawing/node-text";
import { count, counted, measured } from "../../../ui/format/numbers";

const UNKNOWN = "Unknown";

/**
 * Sources tell lag, records read and malformed ones. Engines don't report what single steps take, give or
 * keep: that is unknown.
 *
 * @param lag with the sources' newest lag; null before anything is known
 * @returns facts by node
 */
export function liveFacts(
  sources: readonly string[],
  steps: readonly string[],
  lag: Pick<JobLag, "sources" | "counts"> | null,
): ReadonlyMap<string, readonly Fact[]> {
  return new Map<string, readonly Fact[]>([
    ...sources.map((name) => [name, sourceFacts(name, lag)] as const),
    ...steps.map((name) => [name, [{ label: "Rows/s", text: UNKNOWN }]] as const),
  ]);
}

function sourceFacts(name: string, lag: Pick<JobLag, "sources" | "counts"> | null): Fact[] {
  const behind = lag?.sources[name];
  const read = lag?.counts?.sources[name];
  const seconds = behind?.seconds ?? null;
  return [
    { label: "Lag", text: behind ? lagText(behind.records, seconds) : UNKNOWN },
    { label: "Read", text: read ? counted(read.records, "record") : UNKNOWN },
    {
      label: "Malformed",
      text: read ? count(read.malformed) : UNKNOWN,
      ...(read && read.malformed > 0 && { isWarning: true }),
    },
  ];
}

function lagText(records: number | null, seconds: number | null): string {
  if (records === null) return UNKNOWN;
  return seconds === null
    ? counted(records, "record")
    : `${counted(records, "record")}, ${measured(seconds)} s`;
}
