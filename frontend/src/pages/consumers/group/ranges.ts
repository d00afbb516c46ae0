/** Ranges of a group's history, and how two of them are laid over each other. No React. */

import type { GroupHistory, GroupHealth } from "../../../api/types";
import { share } from "../../../ui/format/numbers";
import { BY_SEVERITY } from "../health";

export const RANGES = [
  { value: "60", label: "1 h" },
  { value: "360", label: "6 h" },
  { value: "1440", label: "24 h" },
  { value: "10080", label: "7 d" },
  { value: "43200", label: "30 d" },
];

/** Minutes that the other range ended before this one. */
export const COMPARED = [
  { value: "0", label: "No comparison" },
  { value: "1440", label: "Yesterday" },
  { value: "10080", label: "Last week" },
];

type Quantity = "lag_seconds" | "lag_records" | "in_rate" | "out_rate";

/**
 * What was measured so long before each of these times; null where nothing was.
 *
 * @param times epoch seconds, ascending
 * @param agoS how long before, in seconds
 */
export function aligned(
  times: readonly number[],
  before: GroupHistory,
  agoS: number,
  quantity: Quantity,
): (number | null)[] {
  const begins = before.points.map(({ at }) => Date.parse(at) / 1000);
  let at = 0;
  return times.map((time) => {
    const wanted = time - agoS;
    while (at + 1 < begins.length && (begins[at + 1] ?? Number.POSITIVE_INFINITY) <= wanted) at += 1;
    const began = begins[at];
    if (began === undefined || wanted < began || wanted >= began + before.resolution_s) return null;
    return before.points[at]?.[quantity] ?? null;
  });
}

/** The share of the points that each health has, the worst first. */
export function healthSpans({ points }: GroupHistory): { health: GroupHealth; share: string }[] {
  const counts = new Map<GroupHealth, number>();
  for (const { health } of points) counts.set(health, (counts.get(health) ?? 0) + 1);
  return BY_SEVERITY.flatMap((health) => {
    const count = counts.get(health);
    return count ? [{ health, share: share(count / points.length) }] : [];
  });
}
