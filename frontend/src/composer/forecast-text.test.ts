import { describe, expect, it } from "vitest";
import { entriesText, isPerDay, loadOf, sizeText } from "./forecast-text";

describe("what a job will keep", () => {
  it("supposes a rate until somebody says another, and leaves out what they do not know", () => {
    expect(loadOf({ rates: {}, key_counts: {} }, ["a"], ["s"])).toEqual({
      rates: { a: 100 },
      key_counts: {},
    });
    expect(loadOf({ rates: { a: 5, gone: 7 }, key_counts: { s: 9 } }, ["a"], ["s"])).toEqual({
      rates: { a: 5 },
      key_counts: { s: 9 },
    });
    expect(loadOf({ rates: { a: null }, key_counts: { s: null } }, ["a"], ["s"])).toEqual({
      rates: {},
      key_counts: {},
    });
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
