import { describe, expect, it } from "vitest";
import type { PanelOf, TimeSeriesPanel } from "../../api/types";
import { mapData, numberData, seriesData, tableData, topData, type PanelContext } from "./panel-data";
import { at, row, T0 } from "./rows.test-data";

const tick = (second: number, symbol: string, n: number | null, more = {}) =>
  row({ window_start: at(second), window_end: at(second + 1), symbol, n, ...more });

const base = {
  id: "p",
  title: "t",
  job: "j",
  output: "live",
  position: { x: 0, y: 0, w: 3, h: 3 },
  filters: [],
};
const measured = { ...base, unit: "", thresholds: [], aggregation: "sum" as const };
const line: TimeSeriesPanel = {
  ...measured,
  kind: "line",
  x: "window_start",
  y: ["n"],
  series: ["symbol"],
};
const context: PanelContext = { filters: [], shared: [], spanS: null, closedUntil: null };

describe("series", () => {
  const rows = [tick(0, "A", 1), tick(1, "A", 2), tick(1, "B", 5), tick(9, "B", null)];

  it("have a list per key, with null where there is no row or no number", () => {
    const data = seriesData(rows, line, context);
    expect(data.names).toEqual(["A", "B"]);
    expect(data.lines.map((one) => one.slice(0, 2))).toEqual([
      [1, 2],
      [null, 5],
    ]);
  });

  it("have a gap where there are no windows, as long as keys share them", () => {
    const data = seriesData(rows, line, context);
    expect([data.times, data.step]).toEqual([[T0, T0 + 1, T0 + 2, T0 + 9], 1]);
    expect(data.lines[0]).toEqual([1, 2, null, null]);
    const filtered = { ...line, filters: [{ field: "symbol", values: ["A"] }] };
    expect(seriesData([...rows, tick(4, "A", 3)], filtered, context)).toMatchObject({
      times: [T0, T0 + 1, T0 + 2, T0 + 4, T0 + 5, T0 + 9],
      lines: [[1, 2, null, 3, null, null]],
    });
    const session = (from: number, to: number, symbol: string) =>
      row({ window_start: at(from), window_end: at(to), symbol, n: 1 });
    const sessions = [session(0, 5, "A"), session(1, 2, "B"), session(9, 20, "A")];
    expect(seriesData(sessions, filtered, context)).toMatchObject({ times: [T0, T0 + 9], step: null });
    expect(seriesData(rows, { ...line, x: "at" }, context).step).toBeNull();
  });

  it("put rows of one series at one instant together", () => {
    const all = { ...line, series: [] };
    const values = (more: Partial<TimeSeriesPanel>) =>
      seriesData(rows, { ...all, ...more }, context).lines[0]?.toSpliced(2, 1);
    expect(values({})).toEqual([1, 7, null]);
    expect(values({ aggregation: "avg" })).toEqual([1, 3.5, null]);
    expect(values({ aggregation: "max" })).toEqual([1, 5, null]);
    expect(values({ aggregation: "last" })).toEqual([1, 5, null]);
    expect(values({ aggregation: "count" })).toEqual([1, 2, 1]);
  });

  it("name the field where there are several", () => {
    const two = { ...line, y: ["n", "m"] };
    expect(seriesData([tick(0, "A", 1, { m: 2 })], two, context).names).toEqual(["A · m", "A · n"]);
  });

  it("show a window of event time that ends with the newest row", () => {
    expect(seriesData(rows, line, { ...context, spanS: 8 }).times).toEqual([T0 + 1, T0 + 2, T0 + 9]);
  });

  it("are none where what matches is older than the window of event time", () => {
    const two = [tick(0, "B", 1, { at: at(0) }), tick(9, "A", 1, { at: at(9) })];
    const names = (x: string, symbol: string) => {
      const panel = { ...line, x, filters: [{ field: "symbol", values: [symbol] }] };
      return seriesData(two, panel, { ...context, spanS: 2 }).names;
    };
    expect([names("window_start", "A"), names("window_start", "B")]).toEqual([["A"], []]);
    expect([names("at", "A"), names("at", "B")]).toEqual([["A"], []]);
  });

  it("draw a dozen at most, those with the largest totals", () => {
    const many = Array.from({ length: 20 }, (_, n) => tick(0, `K${String(n).padStart(2, "0")}`, n));
    const data = seriesData(many, line, context);
    expect(data.names).toHaveLength(12);
    expect(data.names[0]).toBe("K08");
    expect(data.rest).toBe(8);
  });

  it("keep what matches the filters; a shared filter spares rows without its field", () => {
    const filter = { field: "symbol", values: ["B"] };
    const others = [...rows, row({ window_start: at(2), n: 7 })];
    const names = (more: object, panel = line) => seriesData(others, panel, { ...context, ...more }).names;
    expect(names({ shared: [filter] })).toEqual(["B", "null"]);
    expect(names({}, { ...line, filters: [filter] })).toEqual(["B"]);
    expect(names({}, { ...line, filters: [{ field: "n", values: ["5"] }] })).toEqual(["B"]);
  });
});

describe("a number", () => {
  const panel: PanelOf<"number"> = { ...measured, kind: "number", value: "n", x: "window_start" };
  const rows = [tick(0, "A", 4), tick(1, "A", 10), tick(1, "B", 1), tick(2, "A", 1)];

  it("is that of the newest closed window, beside the one before", () => {
    expect(numberData(rows, panel, { ...context, closedUntil: T0 + 2 })).toEqual({
      value: 11,
      before: 4,
      at: T0 + 1,
    });
  });

  it("is that of the newest closed window although the dashboard shows less time than it is old", () => {
    const shown = { ...context, spanS: 0, closedUntil: T0 + 1 };
    expect(numberData(rows, panel, shown)).toMatchObject({ value: 4, at: T0 });
    const list = { ...measured, kind: "top_list" as const, label: ["symbol"], value: "n", limit: 5 };
    expect(topData(rows, { ...list, x: "window_start" }, shown).entries).toEqual([{ label: "A", value: 4 }]);
  });

  it("is that of the newest window where none is known to be closed", () => {
    expect(numberData(rows, panel, context)).toMatchObject({ value: 1, before: 11 });
  });

  it("is that of the newest closed window of the result, whether or not a row of it matches", () => {
    const one = (more: Partial<typeof panel>, closed: number) =>
      numberData(
        rows,
        { ...panel, filters: [{ field: "symbol", values: ["B"] }], ...more },
        { ...context, closedUntil: T0 + closed },
      );
    expect(one({}, 3)).toEqual({ value: null, before: 1, at: T0 + 2 });
    expect(one({ aggregation: "count" }, 3)).toEqual({ value: 0, before: 1, at: T0 + 2 });
    expect(one({}, 2)).toEqual({ value: 1, before: null, at: T0 + 1 });
    expect(
      one({ filters: [{ field: "symbol", values: ["X"] }], aggregation: "count", x: null }, 3).value,
    ).toBe(0);
  });

  it("is that of the newest row that matches where time isn't that of windows", () => {
    const moments = [row({ symbol: "B", n: 5, at: at(0.2) }), row({ symbol: "A", n: 7, at: at(3) })];
    const own = { ...panel, x: "at", filters: [{ field: "symbol", values: ["B"] }] };
    expect(numberData(moments, own, context)).toEqual({ value: 5, before: null, at: T0 + 0.2 });
    expect(numberData(moments, own, { ...context, spanS: 1 }).value).toBeNull();
  });

  it("is that of all rows without a field of time, and not known without rows", () => {
    expect(numberData(rows, { ...panel, x: null }, context)).toEqual({ value: 16, before: null, at: null });
    expect(numberData([], panel, context).value).toBeNull();
    expect(numberData([], { ...panel, x: null }, context).value).toBeNull();
  });
});

describe("a top list", () => {
  const panel: PanelOf<"top_list"> = {
    ...measured,
    kind: "top_list",
    label: ["symbol"],
    value: "n",
    x: null,
    limit: 2,
  };

  it("has the largest first, and says how many are left out", () => {
    const rows = [tick(0, "A", 1), tick(0, "B", 5), tick(0, "C", 3), tick(1, "A", 9)];
    expect(topData(rows, panel, context)).toEqual({
      entries: [
        { label: "A", value: 10 },
        { label: "B", value: 5 },
      ],
      rest: 1,
    });
    expect(topData(rows, { ...panel, x: "window_start" }, context).entries).toEqual([
      { label: "A", value: 9 },
    ]);
    const filtered = { ...panel, x: "window_start", filters: [{ field: "symbol", values: ["B"] }] };
    expect(topData(rows, filtered, context).entries).toEqual([]);
  });

  it("has the null key and the text null apart", () => {
    const rows = [row({ k: null, n: 1 }), row({ k: "null", n: 5 })];
    expect(topData(rows, { ...panel, label: ["k"] }, context).entries).toEqual([
      { label: '"null"', value: 5 },
      { label: "null", value: 1 },
    ]);
  });
});

describe("a map", () => {
  const panel: PanelOf<"map"> = {
    ...measured,
    kind: "map",
    longitude: "lon",
    latitude: "lat",
    label: ["id"],
    value: null,
  };

  it("has the newest point of each label, within the globe", () => {
    const rows = [
      row({ id: "a", lon: 1, lat: 2 }),
      row({ id: "a", lon: 3, lat: 4 }),
      row({ id: "b", lon: 200, lat: 4 }),
      row({ id: "c", lon: null, lat: 4 }),
    ];
    expect(mapData(rows, panel, context).points.map(({ label, longitude }) => [label, longitude])).toEqual([
      ["a", 3],
    ]);
  });
});

describe("a table", () => {
  const panel: PanelOf<"table"> = {
    ...base,
    unit: "",
    thresholds: [],
    kind: "table",
    columns: ["symbol", "n"],
    order_by: null,
    descending: true,
    value: null,
    limit: 2,
  };
  const rows = [tick(0, "A", 10), tick(0, "B", null), tick(0, "C", 9)];
  const symbols = (more: Partial<typeof panel>) =>
    tableData(rows, { ...panel, ...more }, context).rows.map(({ value }) => value["symbol"]);

  it("has the newest rows first, and says how many are left out", () => {
    expect(symbols({})).toEqual(["C", "B"]);
    expect(tableData(rows, panel, context).rest).toBe(1);
  });

  it("is ordered by a field as numbers or texts, nulls last", () => {
    expect(symbols({ order_by: "n", limit: 3 })).toEqual(["A", "C", "B"]);
    expect(symbols({ order_by: "n", descending: false, limit: 3 })).toEqual(["C", "A", "B"]);
    expect(symbols({ order_by: "symbol", descending: false, limit: 3 })).toEqual(["A", "B", "C"]);
  });

  it.each(["9 10 1a", "9 1a 10", "10 9 1a", "10 1a 9", "1a 9 10", "1a 10 9"])(
    "has numbers before other texts, nulls last, whatever the order of the rows: %s",
    (texts) => {
      const mixed = [null, ...texts.split(" ")].map((symbol) => row({ symbol }));
      const ordered = (descending: boolean) =>
        tableData(mixed, { ...panel, order_by: "symbol", descending, limit: 4 }, context).rows.map(
          ({ value }) => value["symbol"],
        );
      expect(ordered(false)).toEqual(["9", "10", "1a", null]);
      expect(ordered(true)).toEqual(["1a", "10", "9", null]);
    },
  );
});
