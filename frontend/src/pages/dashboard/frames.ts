/**
 * What panels share of one result: the selected rows, their instants and labels. Read once per rendering,
 * however many panels ask. No React.
 */

import type { FieldFilter } from "../../api/types";
import { epochSeconds, smallestStep } from "../../charts/instants";
import { areShared } from "../../charts/shared-windows";
import { keyLabel, withBreaks } from "../../charts/windows";
import type { CachedRow } from "../../live/result-store";

export interface Selection {
  /** of the panel: a row without the field does not match */
  filters: readonly FieldFilter[];
  /** of the dashboard: a row without the field is kept */
  shared: readonly FieldFilter[];
}

export interface TimeFrame {
  /** distinct instants in epoch seconds, ascending */
  times: readonly number[];
  rows: readonly CachedRow[];
  /** of each row, the index of its instant */
  at: readonly number[];
}

/** The selected rows of a frame. */
export interface SelectedFrame extends TimeFrame {
  /** says which instants there are: all rows where keys share their windows, else those selected */
  basis: TimeFrame;
  /** whether the instants are those of windows that all keys share */
  isShared: boolean;
  /** seconds between windows that keys share; null for other instants, and while there is one window */
  step: number | null;
}

const MEMO = new WeakMap<readonly CachedRow[], Map<string, unknown>>();

/** `make` is called once for these rows and this name. */
function once<T>(rows: readonly CachedRow[], name: string, make: () => T): T {
  let memo = MEMO.get(rows);
  if (!memo) MEMO.set(rows, (memo = new Map<string, unknown>()));
  if (!memo.has(name)) memo.set(name, make());
  return memo.get(name) as T;
}

/** A value as filters name it; null for what no filter can name. */
function filterText(value: unknown): string | null {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : null;
}

function matches(value: unknown, values: FieldFilter["values"]): boolean {
  const text = filterText(value);
  return text !== null && values.some((wanted) => String(wanted) === text);
}

/** The rows that match all filters; the same array for the same question. */
export function selectRows(rows: readonly CachedRow[], selection: Selection): readonly CachedRow[] {
  const { filters, shared } = selection;
  if (!filters.length && !shared.length) return rows;
  return once(rows, `rows ${JSON.stringify([filters, shared])}`, () =>
    rows.filter((row) => isSelected(row, selection)),
  );
}

function isSelected({ value }: CachedRow, { filters, shared }: Selection): boolean {
  return (
    filters.every(({ field, values }) => matches(value[field], values)) &&
    shared.every(({ field, values }) => !Object.hasOwn(value, field) || matches(value[field], values))
  );
}

/** An instant of a row in epoch seconds: a timestamp, or a number of milli- or microseconds. NaN for none. */
export function instantSeconds(value: unknown): number {
  if (typeof value === "number") return value < 1e15 ? value / 1000 : value / 1e6;
  return epochSeconds(value);
}

/**
 * Rows along a field of time.
 *
 * @param spanS how much time before the newest instant, in seconds; null: all of it
 */
export function timeFrame(rows: readonly CachedRow[], field: string, spanS: number | null): TimeFrame {
  return once(rows, `time ${field} ${String(spanS)}`, () => {
    const instants = once(rows, `instants ${field}`, () =>
      rows.map(({ value }) => instantSeconds(value[field])),
    );
    let newest = -Infinity;
    for (const at of instants) if (at > newest) newest = at;
    const from = spanS === null ? -Infinity : newest - spanS;
    const kept: CachedRow[] = [];
    const when: number[] = [];
    rows.forEach((row, index) => {
      const at = instants[index];
      if (at === undefined || !(at >= from)) return;
      kept.push(row);
      when.push(at);
    });
    return frameOf(kept, when);
  });
}

/** `when`: of each row, its instant in epoch seconds. */
function frameOf(rows: readonly CachedRow[], when: readonly number[]): TimeFrame {
  const times = [...new Set(when)].sort((a, b) => a - b);
  const index = new Map(times.map((at, place) => [at, place]));
  return { times, rows, at: when.map((at) => index.get(at) ?? 0) };
}

/**
 * The selected rows along a field of time. Windows that keys share stay without a row that matches, so that
 * an old window is not taken for the newest.
 *
 * @param spanS how much time before the newest instant of all rows, in seconds; null: all of it
 */
export function selectedFrame(
  rows: readonly CachedRow[],
  field: string,
  spanS: number | null,
  selection: Selection,
): SelectedFrame {
  const { filters, shared } = selection;
  const all = timeFrame(rows, field, spanS);
  const { isShared, step } = windowsOf(rows, field);
  if (!filters.length && !shared.length) return { ...all, basis: all, isShared, step };
  return once(all.rows, `selected ${JSON.stringify([filters, shared])}`, () => {
    const kept: CachedRow[] = [];
    const at: number[] = [];
    all.rows.forEach((row, index) => {
      if (!isSelected(row, selection)) return;
      kept.push(row);
      at.push(all.at[index] ?? 0);
    });
    if (isShared) return { times: all.times, rows: kept, at, basis: all, isShared, step };
    const own = frameOf(
      kept,
      at.map((place) => all.times[place] ?? 0),
    );
    return { ...own, basis: own, isShared, step };
  });
}

/** A frame to be drawn: where windows are missing for every key there is an instant without rows. */
export function withGaps(frame: SelectedFrame): SelectedFrame {
  if (frame.step === null) return frame;
  return once(frame.rows, "gaps", () => {
    const times = withBreaks(frame.times, frame.step);
    if (times.length === frame.times.length) return frame;
    const index = new Map(times.map((at, place) => [at, place]));
    const moved = frame.times.map((at) => index.get(at) ?? 0);
    return { ...frame, times, at: frame.at.map((place) => moved[place] ?? 0) };
  });
}

const BOUNDS: readonly string[] = ["window_start", "window_end"];
interface Windows {
  /** whether all keys have the same windows: not those of sessions and sliding windows */
  isShared: boolean;
  /** seconds between windows; null where keys don't share them, and while there is one */
  step: number | null;
}

const UNSHARED: Windows = { isShared: false, step: null };

/** What a field of time says of windows, by the rows alone: a read-only link has nothing else. */
function windowsOf(rows: readonly CachedRow[], field: string): Windows {
  if (!BOUNDS.includes(field)) return UNSHARED;
  return once(rows, `windows ${field}`, () =>
    areShared(rows, timeFrame(rows, "window_start", null).times)
      ? { isShared: true, step: smallestStep(timeFrame(rows, field, null).times) }
      : UNSHARED,
  );
}

/** The label of each row by these fields. */
export function labels(rows: readonly CachedRow[], fields: readonly string[]): readonly string[] {
  return once(rows, `labels ${JSON.stringify(fields)}`, () =>
    rows.map(({ value }) => keyLabel(value, fields)),
  );
}

/** The distinct values of a field, as texts in order. */
export function distinctValues(rows: readonly CachedRow[], field: string, limit: number): string[] {
  const found = new Set<string>();
  for (const { value } of rows) {
    const one = value[field];
    const text = one === null ? null : filterText(one);
    if (text !== null) found.add(text);
    if (found.size >= limit) break;
  }
  return [...found].sort();
}
