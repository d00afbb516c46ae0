import { describe, expect, it } from "vitest";
import { setParameter } from "./document-edits";
import { locate, plainOf } from "./document-text";

const PROBLEM = { code: "X", message: "", hint: "", severity: "error", span: null } as const;

describe("words of a document", () => {
  it("are texts where the server reads texts", () => {
    expect(plainOf("[NULL, Null, True, TRUE, False, FALSE, yes, on]")).toEqual([
      ...["NULL", "Null", "True", "TRUE", "False", "FALSE", "yes", "on"],
    ]);
    expect(plainOf("a: \nb: ~\nc: null\nd: true\ne: false")).toEqual({
      ...{ a: null, b: null, c: null, d: true, e: false },
    });
  });

  it("are texts as names", () => {
    expect(plainOf("{NULL: 1, null: 2, ~: 3, True: 4, true: 5, 1.0: 6, 007: 7}")).toEqual({
      ...{ NULL: 1, null: 2, "~": 3, True: 4, true: 5, "1.0": 6, "007": 7 },
    });
  });

  it("are found as names", () => {
    const text = "columns: {null: 1, 1.0: x}";
    const found = locate(text, [
      { ...PROBLEM, path: ["columns", "null", "x"] },
      { ...PROBLEM, path: ["columns", "1.0", "x"] },
    ]);
    expect(found.map(({ from, to }) => text.slice(from, to))).toEqual(["null", "1.0"]);
  });

  it("stay as they are written when something else is edited", () => {
    const text =
      "steps:\n  one:\n    op: filter\n    names: {NULL: ~, True: FALSE, null: null, a: true}\n    empty:\n";
    expect(setParameter(text, "one", ["where"], "x > 1")).toBe(`${text}    where: x > 1\n`);
  });
});

describe("numbers of a document", () => {
  it("are texts where a double would lose digits", () => {
    expect(plainOf("[1234567890123456.78, 0.30000000000000001, -1.00000000000000001e5]")).toEqual([
      ...["1234567890123456.78", "0.30000000000000001", "-1.00000000000000001e5"],
    ]);
    expect(plainOf("[1.50, 1.0e2, 0.1, 1.0e400, -0.0, 100.0]")).toEqual([1.5, 100, 0.1, Infinity, -0, 100]);
  });

  it("keep their digits when something else is edited", () => {
    const text = "steps:\n  one:\n    op: filter\n    d: [1234567890123456.78, 1.50]\n";
    const edited = setParameter(text, "one", ["where"], "x > 1");
    expect(plainOf(edited)).toEqual({
      steps: { one: { op: "filter", d: ["1234567890123456.78", 1.5], where: "x > 1" } },
    });
  });
});
