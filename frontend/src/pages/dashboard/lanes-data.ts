/** Rows of a result → the lanes of a state timeline. No React. */

import type { PanelOf } from "../../api/types";
import type { LanesData } from "../../charts/state-timeline";
import { valueLabel } from "../../charts/windows";
import type { CachedRow } from "../../live/result-store";
import { instantSeconds, labels, withGaps, type SelectedFrame } from "./frames";
import { frameOf, type PanelContext } from "./panel-data";

const MAX_LANES = 24;

export function lanesData(
  rows: readonly CachedRow[],
  panel: PanelOf<"state_timeline">,
  context: PanelContext,
): LanesData {
  const frame = withGaps(frameOf(rows, panel, context));
  const names = labels(frame.rows, panel.series);
  const lanes = new Map<string, Lane>();
  frame.rows.forEach((row, index) => {
    const name = names[index] ?? "";
    let lane = lanes.get(name);
    if (!lane) lanes.set(name, (lane = new Map<number, CachedRow>()));
    lane.set(frame.at[index] ?? 0, row);
  });
  const drawn = [...lanes.keys()].sort().slice(0, MAX_LANES);
  const end = endOf(frame);
  return {
    from: frame.times[0] ?? 0,
    to: end,
    lanes: drawn.map((name) => ({ name, spans: spansOf(lanes.get(name), panel.state, frame, end) })),
    rest: lanes.size - drawn.length,
  };
}

/** The rows of a key, by the index of their instants. */
type Lane = Map<number, CachedRow>;

function endOf({ times, rows, step }: SelectedFrame): number {
  const last = times.at(-1) ?? 0;
  if (step !== null) return last + step;
  let end = last;
  for (const row of rows) end = Math.max(end, windowEnd(row) ?? end);
  if (end > last) return end;
  return last + (times.length > 1 ? last - (times.at(-2) ?? 0) : 1);
}

/** In epoch seconds; null for a row without a window. */
function windowEnd({ value }: CachedRow): number | null {
  const end = instantSeconds(value["window_end"]);
  return Number.isNaN(end) ? null : end;
}

/**
 * A state lasts to the next window that all keys share; where keys have instants of their own, to the key's
 * next one, and no longer than its window.
 */
function spansOf(
  lane: Lane | undefined,
  field: string,
  { times, isShared }: SelectedFrame,
  end: number,
): { from: number; to: number; state: string }[] {
  const spans: { from: number; to: number; state: string }[] = [];
  const places = [...(lane?.keys() ?? [])].sort((a, b) => a - b);
  places.forEach((place, index) => {
    const row = lane?.get(place);
    if (!row) return;
    const state = valueLabel(row.value[field]);
    const at = times[place] ?? 0;
    let to = times[isShared ? place + 1 : (places[index + 1] ?? times.length)] ?? end;
    const own = isShared ? null : windowEnd(row);
    if (own !== null && own > at) to = Math.min(to, own);
    const last = spans.at(-1);
    if (last?.state === state && last.to === at) last.to = to;
    else spans.push({ from: at, to, state });
  });
  return spans;
}
