/** Whether all keys of a windowed result have the same windows. No React. */

import type { CachedRow } from "../live/result-store";
import { epochSeconds, smallestStep } from "./instants";

/** So many hopping windows overlap at most. */
const MAX_OVERLAP = 1000;
const MINUTE_MS = 60_000;
/** Calendar windows aren't shorter: a change of the clock takes a few hours of a day. */
const SHORTEST_DAY_MS = 20 * 60 * MINUTE_MS;
/** Calendar months have 28 to 31 days, and days 23 to 25 hours. */
const SAME_LENGTH = 1.25;
/** Sliding windows begin 1 µs after a row's time less their size; others on whole milliseconds. */
const BELOW_MS = /\.\d{3}\d*[1-9]/;

/**
 * Windows that keys share begin on a grid; sessions and sliding windows begin as rows of their key came. Told
 * by the rows alone: a read-only link has nothing else.
 *
 * @param startsS the distinct starts of all windows, in epoch seconds, ascending
 */
export function areShared(rows: readonly CachedRow[], startsS: readonly number[]): boolean {
  let [shortest, longest] = [Infinity, 0];
  for (const { value } of rows) {
    const from = value["window_start"];
    if (typeof from === "string" && BELOW_MS.test(from)) return false;
    const length = inMs(epochSeconds(value["window_end"]) - epochSeconds(from));
    if (length < shortest) shortest = length;
    if (length > longest) longest = length;
  }
  const starts = startsS.map(inMs);
  const step = smallestStep(starts);
  if (step === null) return true;
  const isSame = shortest === longest;
  if (step < shortest) return isSame && areHopping(starts, step, shortest);
  return (isSame && isGrid(starts, shortest)) || areCalendar(starts, shortest, longest);
}

function areHopping(starts: readonly number[], step: number, length: number): boolean {
  if (step * MAX_OVERLAP < length) return false;
  // Any two starts make a grid.
  return starts.length > 2 ? isGrid(starts, step) : length % step === 0;
}

function areCalendar(starts: readonly number[], shortest: number, longest: number): boolean {
  return (
    shortest >= SHORTEST_DAY_MS &&
    longest <= shortest * SAME_LENGTH &&
    starts.every((start) => start % MINUTE_MS === 0)
  );
}

function isGrid(starts: readonly number[], step: number): boolean {
  const [first = 0] = starts;
  return starts.every((start) => (start - first) % step === 0);
}

/** Whole milliseconds, as distances between floats are not exact. */
function inMs(atS: number): number {
  return Math.round(atS * 1000);
}
