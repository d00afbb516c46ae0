import { describe, expect, it } from "vitest";
import { scanProgress } from "./scan-progress";

const scan = (from: number, to: number, range_start: number, range_end: number) => ({
  partitions: [{ partition: 0, from, to, range_start, range_end, log_start: 0, log_end: 1_000_000 }],
  records: 1,
  bytes: 1,
  elapsed_ms: 1,
  stop_reason: "records" as const,
});

describe("a search's progress", () => {
  it("covers the range of the search, not the whole log", () => {
    expect(scanProgress([scan(100, 150, 100, 300)])).toEqual({ done: 50, of: 200 });
    expect(scanProgress([scan(100, 150, 100, 300), scan(150, 300, 100, 300)])).toEqual({
      done: 200,
      of: 200,
    });
    expect(scanProgress([])).toEqual({ done: 0, of: 0 });
  });
});
