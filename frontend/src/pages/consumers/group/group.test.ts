import { expect, test } from "vitest";
import { healthShares } from "./history-tab";
import { assignment } from "./member-table";
import { parsePartitions } from "./move-request";

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
