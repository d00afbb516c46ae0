/** Rows of a result → what each kind of panel draws. No React. */

import type { Aggregation, FieldFilter, PanelOf, TimeSeriesPanel } from "../../api/types";
import { MAX_SERIES } from "../../charts/palette";
import type { SeriesData } from "../../charts/series-chart";
import type { MapPoint } from "../../charts/point-map";
import { compare, sortKey } from "../../charts/value-order";
import { keyLabel, numeric } from "../../charts/windows";
import type { CachedRow } from "../../live/result-store";
import { Accumulator } from "./aggregate";
import {
  instantSeconds,
  labels,
  selectedFrame,
  selectRows,
  withGaps,
  type SelectedFrame,
  type Selection,
  type TimeFrame,
} from "./frames";

export interface PanelContext extends Selection {
  /** how much event time is shown, in seconds; null: all that is here */
  spanS: number | null;
  /** event time in seconds: windows that ended by then are closed; null: none is known to be */
  closedUntil: number | null;
}

interface Filtered {
  filters: readonly FieldFilter[];
}

function rowsOf(rows: readonly CachedRow[], { filters }: Filtered, { shared }: Selection) {
  return selectRows(rows, { filters, shared });
}

/** The rows that a panel draws along time. */
export function frameOf(
  rows: readonly CachedRow[],
  { filters, x }: Filtered & { x: string },
  { shared, spanS }: PanelContext,
): SelectedFrame {
  return selectedFrame(rows, x, spanS, { filters, shared });
}

type Cells = Map<string, Map<number, Accumulator>>;

function cellsOf(frame: TimeFrame, panel: TimeSeriesPanel): Cells {
  const keys = panel.series.length ? labels(frame.rows, panel.series) : null;
  const cells: Cells = new Map();
  frame.rows.forEach((row, index) => {
    for (const field of panel.y) {
      const name = seriesName(keys?.[index] ?? null, field, panel.y.length);
      let line = cells.get(name);
      if (!line) cells.set(name, (line = new Map<number, Accumulator>()));
      const at = frame.at[index] ?? 0;
      let cell = line.get(at);
      if (!cell) line.set(at, (cell = new Accumulator()));
      cell.add(numeric(row.value[field]), row.newest);
    }
  });
  return cells;
}

function seriesName(key: string | null, field: string, fields: number): string {
  if (key === null) return field;
  return fields > 1 ? `${key} · ${field}` : key;
}

/** The series with the largest totals, at most a dozen, by name. */
function drawnOf(cells: Cells, how: Aggregation): string[] {
  if (cells.size <= MAX_SERIES) return [...cells.keys()].sort();
  const total = (line: Map<number, Accumulator> | undefined) =>
    [...(line?.values() ?? [])].reduce((sum, cell) => sum + Math.abs(cell.value(how) ?? 0), 0);
  const ranked = [...cells.keys()].map((name) => ({ name, total: total(cells.get(name)) }));
  return ranked
    .sort((a, b) => b.total - a.total)
    .slice(0, MAX_SERIES)
    .map(({ name }) => name)
    .sort();
}

export function seriesData(
  rows: readonly CachedRow[],
  panel: TimeSeriesPanel,
  context: PanelContext,
): SeriesData {
  const frame = withGaps(frameOf(rows, panel, context));
  const cells = cellsOf(frame, panel);
  const names = drawnOf(cells, panel.aggregation);
  const lines = names.map((name) => {
    const line = cells.get(name);
    return frame.times.map((_, index) => line?.get(index)?.value(panel.aggregation) ?? null);
  });
  return { times: frame.times, step: frame.step, names, lines, rest: cells.size - names.length };
}

export interface NumberData {
  value: number | null;
  /** the value one instant before; null where there is none */
  before: number | null;
  /** the instant in epoch seconds; null without a field of time */
  at: number | null;
}

export function numberData(
  rows: readonly CachedRow[],
  panel: PanelOf<"number">,
  context: PanelContext,
): NumberData {
  const { value, x, filters, aggregation } = panel;
  if (!rows.length) return { value: null, before: null, at: null };
  if (x === null)
    return { value: aggregated(rowsOf(rows, panel, context), value, aggregation), before: null, at: null };
  const frame = frameOfOne(rows, { filters, x }, context);
  const shown = newestClosed(frame.basis, context.closedUntil);
  const at = (place: number) =>
    aggregated(
      frame.rows.filter((_, index) => frame.at[index] === place),
      value,
      aggregation,
    );
  return {
    value: at(shown),
    before: shown > 0 ? at(shown - 1) : null,
    at: frame.times[shown] ?? null,
  };
}

/** The frame of which one instant is shown: its newest closed window may be older than what is shown. */
function frameOfOne(
  rows: readonly CachedRow[],
  panel: Filtered & { x: string },
  context: PanelContext,
): SelectedFrame {
  const frame = frameOf(rows, panel, context);
  return frame.isShared ? frameOf(rows, panel, { ...context, spanS: null }) : frame;
}

/** The index of the newest instant whose windows are closed; the newest of all where none is known to be. */
function newestClosed(frame: TimeFrame, closedUntil: number | null): number {
  const last = frame.times.length - 1;
  if (closedUntil === null) return last;
  let found = -1;
  frame.rows.forEach(({ value }, index) => {
    const end = instantSeconds(value["window_end"]);
    if (end <= closedUntil) found = Math.max(found, frame.at[index] ?? -1);
  });
  return found < 0 ? last : found;
}

/** Without rows: 0 for a count, else null. */
function aggregated(rows: readonly CachedRow[], field: string, how: Aggregation): number | null {
  const all = new Accumulator();
  for (const { value, newest } of rows) all.add(numeric(value[field]), newest);
  return all.value(how);
}

export interface TopEntry {
  label: string;
  value: number;
}

export function topData(
  rows: readonly CachedRow[],
  panel: PanelOf<"top_list">,
  context: PanelContext,
): { entries: TopEntry[]; rest: number } {
  const { filters, x } = panel;
  const shown = x === null ? rowsOf(rows, panel, context) : newestRows(rows, { filters, x }, context);
  const totals = new Map<string, Accumulator>();
  for (const { value, newest } of shown) {
    const label = keyLabel(value, panel.label);
    let total = totals.get(label);
    if (!total) totals.set(label, (total = new Accumulator()));
    total.add(numeric(value[panel.value]), newest);
  }
  const entries = [...totals].flatMap(([label, total]) => {
    const value = total.value(panel.aggregation);
    return value === null ? [] : [{ label, value }];
  });
  entries.sort((a, b) => b.value - a.value || (a.label < b.label ? -1 : 1));
  return { entries: entries.slice(0, panel.limit), rest: Math.max(0, entries.length - panel.limit) };
}

function newestRows(
  rows: readonly CachedRow[],
  panel: Filtered & { x: string },
  context: PanelContext,
): CachedRow[] {
  const frame = frameOfOne(rows, panel, context);
  const shown = newestClosed(frame.basis, context.closedUntil);
  return frame.rows.filter((_, index) => frame.at[index] === shown);
}

const MAX_POINTS = 2_000;

/** The newest row of each label with coordinates within the globe; without labels, of each result key. */
export function mapData(
  rows: readonly CachedRow[],
  panel: PanelOf<"map">,
  context: PanelContext,
): { points: MapPoint[]; rest: number } {
  const selected = rowsOf(rows, panel, context);
  const newestOf = new Map<string, MapPoint>();
  for (const { id, value, newest } of selected) {
    const longitude = numeric(value[panel.longitude]);
    const latitude = numeric(value[panel.latitude]);
    if (longitude === null || latitude === null || Math.abs(longitude) > 180 || Math.abs(latitude) > 90)
      continue;
    const label = panel.label.length ? keyLabel(value, panel.label) : id;
    if ((newestOf.get(label)?.newest ?? -Infinity) > newest) continue;
    const size = panel.value === null ? null : numeric(value[panel.value]);
    newestOf.set(label, { id, longitude, latitude, label, value: size, newest });
  }
  const points = [...newestOf.values()];
  points.sort((a, b) => b.newest - a.newest);
  return { points: points.slice(0, MAX_POINTS), rest: Math.max(0, points.length - MAX_POINTS) };
}

export interface TableData {
  rows: readonly CachedRow[];
  /** rows that match and are not shown */
  rest: number;
}

/** The first rows in the panel's order; nulls come last. */
export function tableData(
  rows: readonly CachedRow[],
  panel: PanelOf<"table">,
  context: PanelContext,
): TableData {
  const selected = rowsOf(rows, panel, context);
  const { order_by: field } = panel;
  const ordered =
    field === null
      ? [...selected].sort((a, b) => b.newest - a.newest)
      : orderedBy(selected, field, panel.descending ? -1 : 1);
  return { rows: ordered.slice(0, panel.limit), rest: Math.max(0, ordered.length - panel.limit) };
}

function orderedBy(rows: readonly CachedRow[], field: string, sign: number): CachedRow[] {
  const keyed = rows.map((row) => ({ row, key: sortKey(row.value[field]) }));
  keyed.sort((a, b) => Number(a.key === null) - Number(b.key === null) || sign * compare(a.key, b.key));
  return keyed.map(({ row }) => row);
}

/** A value of a table's cell as text. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
