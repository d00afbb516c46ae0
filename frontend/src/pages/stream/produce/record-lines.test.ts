import { describe, expect, it } from "vitest";
import { validLines, linesOf } from "./record-lines";

describe("a file of records", () => {
  it("is its lines with their numbers, without those that are empty", () => {
    const lines = linesOf('{"a": 1}\r\n\n  \nplain\n');
    expect(lines).toEqual([
      { number: 1, text: '{"a": 1}' },
      { number: 4, text: "plain" },
    ]);
    expect(validLines(lines, [{ line: 4, message: "" }])).toEqual([{ number: 1, text: '{"a": 1}' }]);
    expect(linesOf(" \n")).toEqual([]);
  });
});
