/** Rows of a windowed result → aligned series by key, gaps as gaps. No React. */

import type { CachedRow } from "../live/result-store";
import { counted } from "../ui/format/numbers";
import { epochSeconds, smallestStep } from "./instants";
import { MAX_SERIES } from "./palette";
import { areShared } from "./shared-windows";

export interface WindowSeries {
  key: string;
  label: string;
  color: number;
}

export interface WindowChartData {
  /** x in epoch seconds (window start), then one list per series; null draws a gap */
  data: [number[], ...(number | null)[][]];
  series: WindowSeries[];
  /** keys that are not drawn */
  rest: number;
  /** windows from here on may still change: they are not closed */
  fillingFrom: number | null;
  /** seconds between windows that keys share; null while there is one, and where each key has its own */
  step: number | null;
}

export interface WindowChartOptions {
  keyFields: readonly string[];
  measure: string;
  /** series to draw; empty: the dozen with the largest totals */
  keys: readonly string[];
  /** how much event time to show, in seconds; null: all that is here */
  span: number | null;
  /** event time in seconds: windows that ended by then are closed; null: none is known to be */
  closedUntil: number | null;
}

export function numeric(value: unknown): number | null {
  if (typeof value === "number") return value;
  if (typeof value !== "string" || value === "") return null;
  const read = Number(value);
  return Number.isFinite(read) ? read : null;
}

export function keyLabel(row: Record<string, unknown>, fields: readonly string[]): string {
  return fields.length ? fields.map((field) => valueLabel(row[field])).join(" · ") : "all";
}

/** A value as a name; the text `null` in quotes, as it is another value than null. */
export function valueLabel(value: unknown): string {
  if (value === null || value === undefined) return "null";
  return typeof value === "string" && value !== "null" ? value : JSON.stringify(value);
}

interface Point {
  at: number;
  end: number;
  label: string;
  value: number | null;
}

function pointsOf(rows: readonly CachedRow[], choice: WindowChartOptions): Point[] {
  const points: Point[] = [];
  for (const { value } of rows) {
    const at = epochSeconds(value["window_start"]);
    if (Number.isNaN(at)) continue;
    points.push({
      at,
      end: epochSeconds(value["window_end"]),
      label: keyLabel(value, choice.keyFields),
      value: numeric(value[choice.measure]),
    });
  }
  return points;
}

const NEWEST_ROWS = 400;

/** `WindowChartData.step`, of the windows of the newest few hundred rows, whatever order these stand in. */
export function windowStep(rows: readonly CachedRow[]): number | null {
  const starts = rows.map(({ value }) => epochSeconds(value["window_start"]));
  const from = starts.filter((at) => !Number.isNaN(at)).sort((a, b) => b - a)[NEWEST_ROWS - 1];
  return stepOf(from === undefined ? rows : rows.filter((_, index) => (starts[index] ?? 0) >= from));
}

function stepOf(rows: readonly CachedRow[]): number | null {
  const all = new Set(rows.map(({ value }) => epochSeconds(value["window_start"])));
  const starts = [...all].filter((at) => !Number.isNaN(at)).sort((a, b) => a - b);
  return areShared(rows, starts) ? smallestStep(starts) : null;
}

/** One more time where windows are missing for every key, so that the line is broken there too. */
export function withBreaks(times: readonly number[], step: number | null): number[] {
  if (step === null) return [...times];
  const out: number[] = [];
  for (const at of times) {
    const before = out.at(-1);
    if (before !== undefined && at - before > step * 1.5) out.push(before + step);
    out.push(at);
  }
  return out;
}

function chosenKeys(points: readonly Point[], keys: readonly string[]): { drawn: string[]; rest: number } {
  const totals = new Map<string, number>();
  for (const { label, value } of points) totals.set(label, (totals.get(label) ?? 0) + Math.abs(value ?? 0));
  const selected = keys.filter((key) => totals.has(key));
  const ranked = [...totals.keys()].sort((a, b) => (totals.get(b) ?? 0) - (totals.get(a) ?? 0));
  const drawn = (selected.length ? selected : ranked).slice(0, MAX_SERIES).sort();
  return { drawn, rest: totals.size - drawn.length };
}

export function windowChartData(rows: readonly CachedRow[], choice: WindowChartOptions): WindowChartData {
  const all = pointsOf(rows, choice);
  let newest = -Infinity;
  for (const { at } of all) newest = Math.max(newest, at);
  const from = choice.span === null ? -Infinity : newest - choice.span;
  const points = all.filter(({ at }) => at >= from);
  const times = [...new Set(points.map(({ at }) => at))].sort((a, b) => a - b);
  const step = stepOf(rows);
  const x = withBreaks(times, step);
  const indexAt = new Map(x.map((at, index) => [at, index]));
  const { drawn, rest } = chosenKeys(points, choice.keys);
  const lines = new Map<string, (number | null)[]>(
    drawn.map((key) => [key, new Array<number | null>(x.length).fill(null)]),
  );
  let fillingFrom = Infinity;
  for (const { at, end, label, value } of points) {
    const line = lines.get(label);
    const index = indexAt.get(at);
    if (line && index !== undefined) line[index] = value;
    if (choice.closedUntil === null || !(end <= choice.closedUntil)) fillingFrom = Math.min(fillingFrom, at);
  }
  return {
    data: [x, ...lines.values()],
    series: drawn.map((key, color) => ({ key, label: key, color })),
    rest,
    fillingFrom: Number.isFinite(fillingFrom) ? fillingFrom : null,
    step,
  };
}

/** What a chart shows, in words: the newest value of each series, and how many windows have one. */
export function summary({ data: [times, ...lines], series }: WindowChartData, measure: string): string {
  const windows = times.filter((_, index) => lines.some((line) => line[index] !== null)).length;
  const newest = series.map(({ label }, index) => {
    const value = lines[index]?.findLast((one) => one !== null);
    return `${label} ${String(value ?? "none")}`;
  });
  return `${measure} by window start. ${counted(windows, "window")}; newest: ${newest.join(", ")}`;
}
