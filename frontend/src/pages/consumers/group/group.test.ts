import { expect, test } from "vitest";
import type { GroupHistory } from "../../../api/types";
import { assignment } from "./member-table";
import { parsePartitions } from "./move-request";
import { aligned, healthSpans } from "./ranges";

function history(resolution_s: number, ...lags: readonly (readonly [number, number])[]): GroupHistory {
  return {
    resolution_s,
    points: lags.map(([at, lag_records]) => ({
      at: new Date(at * 1000).toISOString(),
      lag_records,
      lag_seconds: null,
      in_rate: null,
      out_rate: null,
      health: lag_records > 10 ? "stopped" : "fine",
    })),
  };
}

test("yesterday is laid under today, also where it was measured less often", () => {
  const before = history(60, [0, 5], [60, 7], [180, 9]);
  expect(aligned([1000, 1010, 1059, 1060, 1130, 1180, 1240], before, 1000, "lag_records")).toEqual([
    5,
    5,
    5,
    7,
    null,
    9,
    null,
  ]);
  expect(aligned([1, 2], history(60), 0, "lag_records")).toEqual([null, null]);
});

test("judged have shares of the range", () => {
  expect(healthSpans(history(10, [0, 1], [10, 2], [20, 3], [30, 99]))).toEqual([
    { health: "stopped", share: "25%" },
    { health: "fine", share: "75%" },
  ]);
});

test("an assignment is written in ranges", () => {
  const parts = [0, 1, 2, 5].map((partition) => ({ topic: "orders", partition }));
  expect(assignment([...parts, { topic: "pay", partition: 3 }])).toBe("orders 0–2, 5; pay 3");
  expect(assignment([])).toBe("");
});

test("partitions are typed as numbers and ranges", () => {
  expect(parsePartitions("")).toEqual([]);
  expect(parsePartitions("0, 3-5,9")).toEqual([0, 3, 4, 5, 9]);
  expect(parsePartitions("3–4")).toEqual([3, 4]);
  for (const text of ["a", "5-3", "1,,2", "-1", "0-99999999"]) expect(parsePartitions(text)).toBeNull();
});
