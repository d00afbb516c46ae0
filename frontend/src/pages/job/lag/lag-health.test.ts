import { describe, expect, it } from "vitest";
import { lagHealth, type RecentHistory } from "./lag-health";

const start = Date.UTC(2026, 0, 1);

function history(
  lags: readonly number[],
  rowsIn: number,
  secondsOf = (lag: number) => lag / 100,
): RecentHistory {
  const spans = (avg: number[]) => ({ avg, min: avg, max: avg });
  return {
    at: lags.map((_, index) => new Date(start + index * 5_000).toISOString()),
    measures: {
      lag_records: spans([...lags]),
      lag_seconds: spans(lags.map(secondsOf)),
      rows_in_per_second: spans(lags.map(() => rowsIn)),
    },
  };
}

const steps = (from: number, by: number, n = 20) => Array.from({ length: n }, (_, i) => from + i * by);

/** A lag that grows until the next batch takes all of it. */
const sawtooth = (n: number) => Array.from({ length: n }, (_, i) => (i % 6) * 500);

describe("lag health", () => {
  it.each([
    ["too few points", history([1, 2], 10), "unknown"],
    ["half a minute, however steep", history(steps(3000, 5_000, 6), 100), "unknown"],
    ["42 records that grew from none", history(steps(4, 2), 10, (lag) => lag / 10), "keeping_up"],
    ["a sawtooth between batches", history(sawtooth(60), 100), "keeping_up"],
    [
      "a burst that is worked off",
      history([...steps(3000, 0, 15), 9000, 9000, 3000, 3000, 3000], 100),
      "keeping_up",
    ],
    ["no lag", history(steps(0, 0), 100), "keeping_up"],
    ["little lag", history(steps(100, 0), 100), "keeping_up"],
    ["even lag while reading", history(steps(3000, 0), 100), "keeping_up"],
    ["even lag without reading", history(steps(3000, 0), 0), "stalled"],
    ["growing lag while reading", history(steps(3000, 500), 100), "falling_behind"],
    ["growing lag without reading", history(steps(3000, 500), 0), "stalled"],
    ["shrinking lag", history(steps(20_000, -500), 100), "catching_up"],
  ])("%s", (_title, points, standing) => {
    expect(lagHealth(points).standing).toBe(standing);
  });

  it("says when it will have caught up", () => {
    const points = history(steps(20_000, -500), 100);
    expect(lagHealth(points).doneAt).toBeCloseTo(start + 95_000 + 105_000, -3);
  });
});
