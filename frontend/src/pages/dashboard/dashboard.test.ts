import { describe, expect, it, vi } from "vitest";
import { SharedResults } from "../../live/shared-results";
import type { LiveSocket } from "../../live/socket";
import type { DashboardDocument, LiveOutput, Panel } from "../../api/types";
import { kindsFor, newPanel, withKind } from "./panel-kinds";
import { changeText, toneOf, valueText, writerOf } from "./value-text";
import { choice, linkView } from "./use-view";
import { filtersText, parseFilters, windowSeconds, withFilter } from "./view-state";

describe("the address of a view", () => {
  it("holds filters with any character", () => {
    const filters = [
      { field: "a b", values: ["x|y", "z;"] },
      { field: "c", values: ["é:%"] },
      { field: "d", values: ["", "%"] },
      { field: "e", values: [""] },
    ];
    expect(parseFilters(filtersText(filters))).toEqual(filters);
  });

  it("leaves out what is no filter", () => {
    expect(parseFilters("")).toEqual([]);
    expect(parseFilters("a:;:b;c:%E0;d:1")).toEqual([{ field: "d", values: ["1"] }]);
  });

  it("names a time window", () => {
    expect([windowSeconds("15m"), windowSeconds("1d"), windowSeconds("all")]).toEqual([900, 86_400, null]);
  });

  it("replaces the values of one field", () => {
    const filters = [{ field: "a", values: ["1"] }];
    expect(withFilter(filters, "a", [])).toEqual([]);
    expect(withFilter(filters, "b", ["2"])).toHaveLength(2);
  });
});

describe("the view of a read-only link", () => {
  const [siteA, siteB] = ["A", "B"].map((site) => [{ field: "site", values: [site] }]);
  const saved = (window: string, filters = siteA) =>
    ({ window, filters, panels: [] }) as unknown as DashboardDocument;

  it("follows the dashboard when it is saved again", () => {
    expect(linkView(saved("1h"), {})).toEqual({ window: "1h", filters: siteA });
    expect(linkView(saved("5m", siteB), {})).toEqual({ window: "5m", filters: siteB });
  });

  it("keeps what a viewer chose, and nothing else", () => {
    const view = linkView(saved("1h"), {});
    const byWindow = choice(view, { ...view, window: "1d" });
    expect(linkView(saved("5m", siteB), byWindow)).toEqual({ window: "1d", filters: siteB });
    const byFilter = choice(view, { ...view, filters: [] });
    expect(linkView(saved("5m", siteB), byFilter)).toEqual({ window: "5m", filters: [] });
  });
});

describe("numbers with units", () => {
  it.each([
    [1536, "bytes", "1.5 KiB"],
    [1500, "ms", "1.5 s"],
    [90, "s", "1 min 30 s"],
    [2.44, "%", "2.44%"],
    [12, "USD", "12 USD"],
    [1_234_567, "", "1,234,567"],
    [null, "ms", "–"],
  ])("%s in %s is %s", (value, unit, text) => {
    expect(valueText(value, unit)).toBe(text);
  });

  it("are written by one function per unit, as a chart is rebuilt with another", () => {
    for (const unit of ["", "ms", "USD"]) expect(writerOf(unit)).toBe(writerOf(unit));
    expect([writerOf("USD")(1), writerOf("EUR")(1)]).toEqual(["1 USD", "1 EUR"]);
  });

  it("say how they changed", () => {
    expect(changeText(12, 10, "")).toBe("+2 (+20%)");
    expect(changeText(8, 10, "ms")).toBe("−2 ms (−20%)");
    expect(changeText(5, 0, "")).toBe("+5");
    expect(changeText(5, 5, "")).toBe("no change");
    expect(changeText(5, null, "")).toBeNull();
  });

  it("have the tone of the greatest threshold reached", () => {
    const thresholds = [
      { value: 1, tone: "good" as const },
      { value: 5, tone: "bad" as const },
    ];
    expect([0, 1, 9, null].map((value) => toneOf(value, thresholds))).toEqual([null, "good", "bad", null]);
  });
});

const output = (windowed: boolean, names: Record<string, string>, identity: string[]) =>
  ({
    job: "j",
    job_name: "job",
    output: "live",
    result: {
      windowed,
      identity,
      schema: Object.entries(names).map(([name, type]) => ({ name, type, nullable: false })),
    },
  }) as unknown as LiveOutput;
const windows = output(
  true,
  { window_start: "timestamp", window_end: "timestamp", symbol: "string", trades: "long", price: "double" },
  ["window_start", "window_end", "symbol"],
);
const words = output(false, { word: "string", count: "long" }, ["word"]);

describe("a new panel", () => {
  it("is of a kind that fits the result", () => {
    expect(kindsFor(windows)[0]).toBe("line");
    expect(kindsFor(words)).toEqual(["top_list", "number", "table"]);
    expect(kindsFor(output(false, { id: "string", lon: "double", lat: "double" }, ["id"]))[0]).toBe("map");
    expect(kindsFor(output(false, { id: "string" }, ["id"]))).toEqual(["table"]);
  });

  it("shows the first number by key over the start of the window", () => {
    expect(newPanel("line", windows, [])).toMatchObject({
      x: "window_start",
      y: ["trades"],
      series: ["symbol"],
      aggregation: "sum",
    });
    expect(newPanel("top_list", words, [])).toMatchObject({ label: ["word"], value: "count", x: null });
  });

  it("keeps what it has as another kind", () => {
    const line = {
      ...newPanel("line", windows, []),
      filters: [{ field: "symbol", values: ["A"] }],
      unit: "USD",
      thresholds: [{ value: 3, tone: "bad" }],
      y: ["price", "trades"],
      series: [],
      aggregation: "max",
    } as Panel;
    const shared = { filters: [{ field: "symbol", values: ["A"] }], unit: "USD", aggregation: "max" };
    expect(withKind(line, "bar", windows, [])).toMatchObject({
      ...shared,
      kind: "bar",
      y: ["price", "trades"],
      series: [],
      thresholds: [{ value: 3, tone: "bad" }],
    });
    const number = withKind(line, "number", windows, []);
    expect(number).toMatchObject({ ...shared, kind: "number", value: "price", x: "window_start" });
    expect(number).not.toHaveProperty("y");
    expect(withKind(number, "area", windows, [])).toMatchObject({ ...shared, y: ["price"] });
    expect(withKind(line, "table", windows, [])).toMatchObject({ value: "price", limit: 20 });
    expect(withKind(line, "state_timeline", windows, [])).toMatchObject({ filters: shared.filters });
  });

  it("needs a label as a top list", () => {
    const map = { ...newPanel("map", windows, []), label: [] } as Panel;
    expect(withKind(map, "top_list", windows, [])).toMatchObject({ label: ["symbol"] });
  });

  it("has an ID and a place of its own", () => {
    const first = newPanel("line", windows, []);
    const second = newPanel("line", windows, [first]);
    expect(second.id).not.toBe(first.id);
    expect(second.position).toMatchObject({ x: 6, y: 0 });
    expect(newPanel("line", windows, [first, { ...second, id: "p3" }]).id).toBe("p4");
  });
});

describe("results of several panels", () => {
  it("share a subscription until the last panel leaves", () => {
    const close = vi.fn();
    const subscribe = vi.fn(() => ({ close }));
    const shared = new SharedResults({ subscribe } as unknown as LiveSocket, "demo");
    const first = shared.follow("a");
    const second = shared.follow("a");
    shared.follow("b");
    expect(subscribe).toHaveBeenCalledTimes(2);
    expect(second.store).toBe(first.store);
    first.close();
    first.close();
    expect(close).not.toHaveBeenCalled();
    second.close();
    expect(close).toHaveBeenCalledTimes(1);
  });
});
