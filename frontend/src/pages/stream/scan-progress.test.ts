import { describe, expect, it } from "vitest";
import { scanProgress } from "./scan-progress";

const look = (from: number, to: number, first: number, last: number) => ({ partitions: [{ partition: 0, from, to, first, last, start: 0, end: 1_000_000 }], records: 1, bytes: 1, elapsed_ms: 1, stopped_because: "records" as const });

describe("a search's progress", () => {
  it("is of the stretch that was asked for, not of the whole log", () => {
    expect(scanProgress([look(100, 150, 100, 300)])).toEqual({ done: 50, of: 200 });
    expect(scanProgress([look(100, 150, 100, 300), look(150, 300, 100, 300)])).toEqual({ done: 200, of: 200 });
    expect(scanProgress([])).toEqual({ done: 0, of: 0 });
  });
});
