import { expect, test } from "vitest";
import type { GroupDetail } from "../../../api/types";
import { asOf } from "./as-of";
import { healthShares } from "./history-tab";
import { assignment } from "./member-table";
import { parsePartitions } from "./move-request";

test("numbers are as of the oldest turn of a topic that is behind", () => {
  const topic = (at: string, lag_records: number | null) =>
    ({ at, lag_records }) as GroupDetail["topic_lags"][number];
  const passedAt = "2026-11-28T10:02:00.000Z";
  const settled = topic("2026-11-27T10:00:00.000000Z", 0);
  expect(asOf({ topic_lags: [] }, null)).toBeNull();
  expect(asOf({ topic_lags: [settled] }, passedAt)).toBe(passedAt);
  const turns = [topic("2026-11-28T10:02:00.000000Z", 5), topic("2026-11-28T10:00:30.000000Z", 7), settled];
  expect(asOf({ topic_lags: turns }, passedAt)).toBe("2026-11-28T10:00:30.000000Z");
});

test("healths have shares of the range", () => {
  expect(healthShares(["fine", "fine", "fine", "stopped"])).toEqual([
    { health: "stopped", text: "25%" },
    { health: "fine", text: "75%" },
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
