import { describe, expect, it } from "vitest";
import {
  entriesText,
  isPerDay,
  keysBasis,
  loadOf,
  rateBasis,
  sizeText,
  totalBytes,
  UNMEASURED,
} from "./forecast-text";

describe("what a job will keep", () => {
  const measured = { rates: { a: 12.34, silent: 0 }, key_counts: { s: 7 }, sampled: { s: 2_000, one: 0 } };

  it("takes what the streams show until somebody says another, and leaves out what nobody knows", () => {
    expect(loadOf({ rates: {}, key_counts: {} }, UNMEASURED, ["a"], ["s"])).toEqual({
      rates: { a: 100 },
      key_counts: {},
    });
    expect(loadOf({ rates: {}, key_counts: {} }, measured, ["a", "silent"], ["s", "t"])).toEqual({
      rates: { a: 12.3, silent: 100 },
      key_counts: { s: 7 },
    });
    expect(loadOf({ rates: { a: 5, gone: 7 }, key_counts: { s: 9 } }, measured, ["a"], ["s"])).toEqual({
      rates: { a: 5 },
      key_counts: { s: 9 },
    });
    expect(loadOf({ rates: { a: null }, key_counts: { s: null } }, measured, ["a"], ["s"])).toEqual({
      rates: {},
      key_counts: {},
    });
  });

  it("says what a number rests on", () => {
    expect(["a", "silent", "unknown"].map((name) => rateBasis(measured, name))).toEqual([
      "Measured, last minute",
      "Assumed: no new records",
      "Assumed",
    ]);
    expect(["s", "one", "unknown"].map((name) => keysBasis(measured, name))).toEqual([
      "In the newest 2,000 records",
      "No key fields",
      "Unknown: one per row",
    ]);
  });

  it("adds up only what is known and bounded", () => {
    expect(
      totalBytes([
        { bytes: 2, bound: "bounded" },
        { bytes: 3, bound: "bounded" },
      ]),
    ).toBe(5);
    expect(
      totalBytes([
        { bytes: 2, bound: "bounded" },
        { bytes: null, bound: "bounded" },
      ]),
    ).toBeNull();
    expect(totalBytes([{ bytes: 2, bound: "unbounded" }])).toBeNull();
  });

  it("says what is at rest, and of what grows how much comes each day", () => {
    const growing = { step: "s", bound: "unbounded", rows: 8_640_000, bytes: 1024 * 1024 } as const;
    expect(isPerDay(growing, { rates: {}, key_counts: {} })).toBe(true);
    expect(isPerDay(growing, { rates: {}, key_counts: { s: 4 } })).toBe(false);
    expect(isPerDay({ ...growing, bound: "bounded" }, { rates: {}, key_counts: {} })).toBe(false);
    expect(entriesText(growing, true)).toBe("up to 8,640,000/day");
    expect(sizeText(growing, true)).toBe("~1 MiB/day");
    expect(sizeText(growing, false)).toBe("~1 MiB");
    expect(entriesText({ rows: null }, false)).toBe("–");
  });
});
