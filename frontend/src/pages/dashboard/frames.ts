/**
 * What panels share of one result: the selected rows, their instants and labels. Read once per rendering,
 * however many panels ask. No React.
 */

import type { FieldFilter } from "../../api/types";
import { epochSeconds, keyLabel } from "../../charts/windows";
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
    rows.filter(
      ({ value }) =>
        filters.every(({ field, values }) => matches(value[field], values)) &&
        shared.every(({ field, values }) => !Object.hasOwn(value, field) || matches(value[field], values)),
    ),
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
    const times = [...new Set(when)].sort((a, b) => a - b);
    const index = new Map(times.map((at, place) => [at, place]));
    return { times, rows: kept, at: when.map((at) => index.get(at) ?? 0) };
  });
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
