import { describe, expect, it } from "vitest";
import type { SourceLag } from "../../../api/types";
import { sourceWatermarks } from "./source-watermarks";

function source(watermark_us: number | null): SourceLag {
  return { partitions: [], records: 0, seconds: 0, watermark_us };
}

describe("watermarks of sources", () => {
  it("are told slowest first, and which one is behind all others", () => {
    expect(sourceWatermarks({ a: source(9), b: source(3), table: source(null) })).toEqual([
      { source: "b", us: 3, slowest: true },
      { source: "a", us: 9, slowest: false },
    ]);
    expect(sourceWatermarks({ a: source(3), b: source(3), c: source(9) }).some((s) => s.slowest)).toBe(false);
  });

  it("are nothing beside the job's own where one source moves it, or none is known", () => {
    expect(sourceWatermarks({ a: source(9), table: source(null) })).toEqual([]);
    expect(sourceWatermarks({})).toEqual([]);
  });
});
