import { describe, expect, it } from "vitest";
import { linesText, validLines, linesOf } from "./record-lines";

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

  it("names its lines in ranges", () => {
    expect(linesText([4])).toBe("Line 4");
    expect(linesText([2, 3, 4, 9, 1_000, 1_001])).toBe("Lines 2–4, 9, 1,000–1,001");
    const odd = Array.from({ length: 30 }, (_, at) => 2 * at + 1);
    expect(linesText(odd)).toMatch(/^Lines 1, 3, .* 39 and others$/);
  });
});
