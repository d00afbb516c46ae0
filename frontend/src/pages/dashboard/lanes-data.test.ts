import { describe, expect, it } from "vitest";
import type { PanelOf } from "../../api/types";
import { lanesData } from "./lanes-data";
import type { PanelContext } from "./panel-data";
import { at, row, T0 } from "./rows.test-data";

const tick = (second: number, symbol: string, phase: string | null) =>
  row({ window_start: at(second), window_end: at(second + 1), symbol, phase });
const context: PanelContext = { filters: [], shared: [], spanS: null, closedUntil: null };

describe("a state timeline", () => {
  const panel: PanelOf<"state_timeline"> = {
    id: "p",
    title: "t",
    job: "j",
    output: "live",
    position: { x: 0, y: 0, w: 3, h: 3 },
    filters: [],
    kind: "state_timeline",
    x: "window_start",
    state: "phase",
    series: ["symbol"],
  };

  it("joins equal states, and leaves gaps where a key has no row", () => {
    const rows = [
      tick(0, "A", "open"),
      tick(1, "A", "open"),
      tick(2, "A", "halt"),
      tick(0, "B", "open"),
      tick(2, "B", "open"),
    ];
    const { lanes, from, to } = lanesData(rows, panel, context);
    expect([from, to]).toEqual([T0, T0 + 3]);
    expect(lanes[0]?.spans).toEqual([
      { from: T0, to: T0 + 2, state: "open" },
      { from: T0 + 2, to: T0 + 3, state: "halt" },
    ]);
    expect(lanes[1]?.spans.map(({ from: start }) => start)).toEqual([T0, T0 + 2]);
  });

  it("has the null state and the text null apart", () => {
    const rows = [tick(0, "A", null), tick(1, "A", "null")];
    expect(lanesData(rows, panel, context).lanes[0]?.spans.map(({ state }) => state)).toEqual([
      "null",
      '"null"',
    ]);
  });

  it("has a state last to the key's own next instant where keys have instants of their own", () => {
    const change = (second: number, symbol: string, phase: string) => row({ at: at(second), symbol, phase });
    const rows = [
      change(0, "A", "up"),
      change(10, "B", "up"),
      change(11, "C", "down"),
      change(300, "A", "down"),
    ];
    const { lanes, to } = lanesData(rows, { ...panel, x: "at" }, context);
    expect(lanes[0]?.spans).toEqual([
      { from: T0, to: T0 + 300, state: "up" },
      { from: T0 + 300, to, state: "down" },
    ]);
    expect(lanes[1]?.spans).toEqual([{ from: T0 + 10, to, state: "up" }]);
    expect(to).toBeGreaterThan(T0 + 300);
  });

  it("has a state last to the end of a key's own window, and no longer than to its next", () => {
    const session = (from: number, until: number, symbol: string, phase: string) =>
      row({ window_start: at(from), window_end: at(until), symbol, phase });
    const rows = [
      session(0, 7, "A", "up"),
      session(20, 34, "A", "up"),
      session(34, 61, "A", "down"),
      session(3, 50, "B", "up"),
      session(47, 58, "B", "down"),
    ];
    const { lanes, to } = lanesData(rows, panel, context);
    expect(to).toBe(T0 + 61);
    expect(lanes[0]?.spans.map(({ from, to: until }) => [from - T0, until - T0])).toEqual([
      [0, 7],
      [20, 34],
      [34, 61],
    ]);
    expect(lanes[1]?.spans.map(({ from, to: until }) => [from - T0, until - T0])).toEqual([
      [3, 47],
      [47, 58],
    ]);
  });

  it("has a lone window in its whole length", () => {
    const hour = row({ window_start: at(0), window_end: at(3600), symbol: "A", phase: "up" });
    expect(lanesData([hour], panel, context)).toMatchObject({
      to: T0 + 3600,
      lanes: [{ spans: [{ from: T0, to: T0 + 3600, state: "up" }] }],
    });
  });

  it("doesn't go on where there are no windows", () => {
    const rows = [0, 1, 9].map((second) => tick(second, "A", "open"));
    const { lanes, to } = lanesData(rows, panel, context);
    expect(to).toBe(T0 + 10);
    expect(lanes[0]?.spans).toEqual([
      { from: T0, to: T0 + 2, state: "open" },
      { from: T0 + 9, to: T0 + 10, state: "open" },
    ]);
  });
});
