import { describe, expect, it } from "vitest";
import { columnsOf, shownValue } from "./batch-rows";

describe("rows of a batch", () => {
  it("have the columns of all of them", () => {
    expect(
      columnsOf([
        { a: 1, b: 2 },
        { b: 3, _deleted: true },
      ]),
    ).toEqual(["a", "b", "_deleted"]);
    expect(columnsOf([])).toEqual([]);
  });

  it("show values as they are, and instants short", () => {
    expect(shownValue("2026-01-01T10:00:05.000000Z")).toBe("2026-01-01T10:00:05Z");
    expect(shownValue("2026-01-01T10:00:05.250000Z")).toBe("2026-01-01T10:00:05.25Z");
    expect([shownValue(null), shownValue(undefined), shownValue([1]), shownValue("x")]).toEqual([
      "null",
      "",
      "[1]",
      "x",
    ]);
    expect([shownValue(""), shownValue("null")]).toEqual(['""', '"null"']);
  });
});
