import { describe, expect, it } from "vitest";
import type { CachedRow } from "../live/result-store";
import { isolated } from "./points";
import { summary, windowChartData, windowStep } from "./windows";

const second = (n: number) => new Date(Date.UTC(2026, 0, 1) + n * 1000).toISOString();
const zero = Date.UTC(2026, 0, 1) / 1000;

function row(start: number, size: number, symbol: string, n: number | string | null): CachedRow {
  const value = { window_start: second(start), window_end: second(start + size), symbol, n };
  return { id: `${String(start)}${symbol}`, value, newest: 0, partial: false, changed: {} };
}

const choice = { keyFields: ["symbol"], measure: "n", keys: [], span: null, closedUntil: null };

describe("windows as series", () => {
  it("aligns series by window start and leaves gaps where a key has no window", () => {
    const chart = windowChartData([row(0, 5, "A", 1), row(1, 5, "A", 2), row(1, 5, "B", "7.50")], choice);
    expect(chart.data).toEqual([
      [zero, zero + 1],
      [1, 2],
      [null, 7.5],
    ]);
    expect(chart.series.map(({ key }) => key)).toEqual(["A", "B"]);
  });

  it("breaks the line where no key has a window", () => {
    const chart = windowChartData([row(0, 1, "A", 1), row(1, 1, "A", 1), row(5, 1, "A", 1)], choice);
    expect(chart.data).toEqual([
      [zero, zero + 1, zero + 2, zero + 5],
      [1, 1, null, 1],
    ]);
    expect(chart.step).toBe(1);
  });

  it("breaks no line where each key has windows of its own", () => {
    const sessions = [row(0, 3, "A", 1), row(1, 7, "B", 2), row(20, 4, "A", 3), row(21, 9, "B", 4)];
    const chart = windowChartData(sessions, choice);
    expect(chart.data).toEqual([
      [zero, zero + 1, zero + 20, zero + 21],
      [1, null, 3, null],
      [null, 2, null, 4],
    ]);
    expect([chart.step, windowStep(sessions)]).toEqual([null, null]);
  });

  it("knows which windows may still fill", () => {
    const rows = Array.from({ length: 10 }, (_, n) => row(n, 5, "A", n));
    const from = (closedUntil: number | null) =>
      windowChartData(rows, { ...choice, closedUntil }).fillingFrom;
    expect(from(zero + 9)).toBe(zero + 5);
    expect(from(zero + 9.5)).toBe(zero + 5);
    expect(from(zero + 10)).toBe(zero + 6);
    expect(from(zero + 14)).toBeNull();
  });

  it("takes windows for open that the newest event time has long passed, while the watermark has not", () => {
    const rows = Array.from({ length: 48 }, (_, n) => row(n * 3600, 3600, "A", n));
    const aDayBehind = zero + 47 * 3600 - 86_400;
    expect(windowChartData(rows, { ...choice, closedUntil: aDayBehind }).fillingFrom).toBe(aDayBehind);
    expect(windowChartData(rows, { ...choice, closedUntil: null }).fillingFrom).toBe(zero);
  });

  it("are said in words: the newest value of each, and windows, not breaks", () => {
    const said = (rows: CachedRow[]) => summary(windowChartData(rows, choice), "n");
    expect(said([row(0, 3, "A", 1), row(1, 7, "B", 2), row(20, 4, "A", 3), row(21, 9, "C", null)])).toBe(
      "n by window start. 3 windows; newest: A 3, B 2, C none",
    );
    expect(said([row(0, 1, "A", 1), row(1, 1, "A", 2), row(5, 1, "A", 4)])).toBe(
      "n by window start. 3 windows; newest: A 4",
    );
  });

  it("draws a dozen and counts the rest", () => {
    const rows = Array.from({ length: 20 }, (_, n) => row(0, 5, `K${String(n)}`, n));
    const chart = windowChartData(rows, choice);
    expect(chart.series).toHaveLength(12);
    expect(chart.rest).toBe(8);
    expect(chart.series.map(({ key }) => key)).toContain("K19");
    expect(windowChartData(rows, { ...choice, keys: ["K0"] }).series.map(({ key }) => key)).toEqual(["K0"]);
  });

  it("keeps the null key and the text null apart", () => {
    const rows = [row(0, 5, "null", 1), row(0, 5, "x", 2)];
    rows.push({ ...row(0, 5, "", 3), value: { ...row(0, 5, "", 3).value, symbol: null } });
    const chart = windowChartData(rows, choice);
    expect(chart.series.map(({ label }) => label)).toEqual(['"null"', "null", "x"]);
    expect(chart.data.slice(1)).toEqual([[1], [3], [2]]);
  });

  it("shows only the chosen span", () => {
    const rows = Array.from({ length: 100 }, (_, n) => row(n, 5, "A", n));
    expect(windowChartData(rows, { ...choice, span: 10 }).data[0]).toHaveLength(11);
  });

  it("have one step, whatever the rows are sorted by", () => {
    const days = Array.from({ length: 500 }, (_, n) => row(n * 86_400 - 600 * 86_400, 86_400, "A", n));
    const minutes = Array.from({ length: 600 }, (_, n) => row(n * 60, 60, "A", 1000 - n));
    const rows = [...days, ...minutes];
    const byMeasure = [...rows].sort((a, b) => Number(a.value["n"]) - Number(b.value["n"]));
    expect([rows, byMeasure, byMeasure.toReversed()].map(windowStep)).toEqual([60, 60, 60]);
    expect(windowStep(minutes.filter((_, n) => n % 2))).toBe(120);
    expect([windowStep([]), windowStep(minutes.slice(0, 1))]).toEqual([null, null]);
  });

  it("draws ten thousand points fast", () => {
    const rows = Array.from({ length: 10_000 }, (_, n) =>
      row(Math.floor(n / 10), 5, `K${String(n % 10)}`, n),
    );
    // The fastest of some, because the machine may be doing something else meanwhile.
    const took = Array.from({ length: 5 }, () => {
      const began = performance.now();
      windowStep(rows);
      windowChartData(rows, choice);
      return performance.now() - began;
    });
    expect(Math.min(...took)).toBeLessThan(200);
  });
});

describe("values between two gaps", () => {
  it("are found, and no others", () => {
    expect(isolated([1, null, 2, 3, null, 4])).toEqual([0, 5]);
    expect(isolated([1])).toEqual([0]);
    expect(isolated([null, 1, 2])).toEqual([]);
  });
});
