import { describe, expect, it } from "vitest";
import { entriesText, isPerDay, loadOf, sizeText } from "./forecast-text";

describe("what a job will keep", () => {
  it("supposes a rate until somebody says another, and leaves out what they do not know", () => {
    expect(loadOf({ rates: {}, keys: {} }, ["a"], ["s"])).toEqual({ rates: { a: 100 }, keys: {} });
    expect(loadOf({ rates: { a: 5, gone: 7 }, keys: { s: 9 } }, ["a"], ["s"])).toEqual({ rates: { a: 5 }, keys: { s: 9 } });
    expect(loadOf({ rates: { a: null }, keys: { s: null } }, ["a"], ["s"])).toEqual({ rates: {}, keys: {} });
  });

  it("says what is at rest, and of what grows how much comes each day", () => {
    const growing = { step: "s", bound: "unbounded", rows: 8_640_000, bytes: 1024 * 1024 } as const;
    expect(isPerDay(growing, { rates: {}, keys: {} })).toBe(true);
    expect(isPerDay(growing, { rates: {}, keys: { s: 4 } })).toBe(false);
    expect(isPerDay({ ...growing, bound: "bounded" }, { rates: {}, keys: {} })).toBe(false);
    expect(entriesText(growing, true)).toBe("up to 8,640,000/day");
    expect(sizeText(growing, true)).toBe("~1 MiB/day");
    expect(sizeText(growing, false)).toBe("~1 MiB");
    expect(entriesText({ rows: null }, false)).toBe("–");
  });
});
