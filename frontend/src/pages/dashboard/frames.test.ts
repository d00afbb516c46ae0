import { describe, expect, it } from "vitest";
import type { PanelOf, TimeSeriesPanel } from "../../api/types";
import type { CachedRow } from "../../live/result-store";
import { selectedFrame } from "./frames";
import { numberData, seriesData, topData } from "./panel-data";

const T0 = Date.UTC(2026, 0, 1) / 1000;
const HOUR = 3600;
const OF_B = { filters: [{ field: "symbol", values: ["B"] }], shared: [] };
const instant = (second: number) => new Date((T0 + second) * 1000).toISOString();

function row(start: string, end: string, symbol: string, n: number): CachedRow {
  const value = { window_start: start, window_end: end, symbol, n };
  return { id: `${start}${symbol}`, value, newest: n, partial: false, changed: {} };
}

/** Windows of B, and a newer one of A. */
function windows(bounds: readonly (readonly [number, number])[], write = instant): CachedRow[] {
  return bounds.map(([start, end], at) =>
    row(write(start), write(end), at === bounds.length - 1 ? "A" : "B", at),
  );
}

const lasting = (length: number, ...starts: number[]) =>
  windows(starts.map((start) => [start, start + length]));
const sliding = (length: number, ...starts: number[]) =>
  windows(
    starts.map((start) => [start, start + length]),
    (second) => instant(second).replace("Z", "001Z"),
  );
const inHours = (...bounds: [number, number][]) =>
  windows(bounds.map(([start, end]) => [start * HOUR, end * HOUR]));

describe("windows that all keys share", () => {
  it.each([
    ["tumbling", lasting(1, 0, 2, 5), 2],
    ["tumbling, with an offset", lasting(60, 7, 67, 487), 60],
    ["hopping", lasting(60, 0, 10, 20, 110), 10],
    ["hopping, before there is a third", lasting(60, 0, 10), 10],
    ["hopping, whose advance doesn't divide the size", lasting(10, 0, 4, 8, 16), 4],
    ["of days", lasting(24 * HOUR, -HOUR, 23 * HOUR, 71 * HOUR), 24 * HOUR],
    ["of days, one of them of 23 hours", inHours([-1, 23], [23, 46], [46, 70]), 23 * HOUR],
    ["of days, one of them of 25 hours", inHours([-2, 22], [22, 47], [47, 71]), 24 * HOUR],
    ["of days before and after one of 23 hours", inHours([-1, 23], [46, 70], [94, 118]), 47 * HOUR],
    ["of months", inHours([0, 744], [744, 1416], [1416, 2159]), 672 * HOUR],
    ["of months that all have 31 days", inHours([0, 744], [744, 1488], [2208, 2952]), 744 * HOUR],
  ])("are those that are %s", (_, rows, step) => {
    const frame = selectedFrame(rows, "window_start", null, OF_B);
    expect(frame.step).toBe(step);
    expect(frame.times).toHaveLength(rows.length);
  });

  it.each([
    ["sliding", sliding(10, 0, 1, 2)],
    ["sliding, one after the other", sliding(10, 0, 10)],
    ["two sessions of one length", lasting(1800, 0, 617.123)],
    ["sessions of one length that overlap", lasting(1800, 0, 617, 2700)],
    ["sessions of one length, one after the other", lasting(1800, 0, 1900, 4000)],
    ["sessions of nearly one length", inHours([0, 0.5], [1, 1.6])],
    ["many sessions", lasting(1800, ...Array.from({ length: 40 }, (_, n) => n * 41 + (n % 7) / 10))],
    ["long sessions of nearly one length", inHours([0, 24.001], [30.123, 54.125])],
  ])("aren't those that are %s", (_, rows) => {
    const frame = selectedFrame(rows, "window_start", null, OF_B);
    expect(frame.step).toBeNull();
    expect(frame.times).toHaveLength(rows.length - 1);
  });
});

it("panels show the newest window that matches where windows are each key's own", () => {
  const measured = {
    id: "p",
    title: "t",
    job: "j",
    output: "live",
    position: { x: 0, y: 0, w: 3, h: 3 },
    filters: OF_B.filters,
    unit: "",
    thresholds: [],
    aggregation: "sum" as const,
  };
  const number: PanelOf<"number"> = { ...measured, kind: "number", value: "n", x: "window_start" };
  const list: PanelOf<"top_list"> = { ...number, kind: "top_list", label: ["symbol"], limit: 2 };
  const line: TimeSeriesPanel = {
    ...measured,
    kind: "line",
    x: "window_start",
    y: ["n"],
    series: ["symbol"],
  };
  const context = { filters: [], shared: [], spanS: null, closedUntil: null };
  for (const rows of [sliding(10, 0, 1, 5), lasting(1800, 0, 1900, 4000)]) {
    expect(numberData(rows, number, context)).toMatchObject({ value: 1, before: 0 });
    expect(topData(rows, list, context).entries).toEqual([{ label: "B", value: 1 }]);
    expect(seriesData(rows, line, context).lines).toEqual([[0, 1]]);
  }
});
