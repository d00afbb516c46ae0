import { describe, expect, it } from "vitest";
import { lineDiff } from "./line-diff";

const shown = (before: string, after: string) =>
  lineDiff(before, after).map(({ kind, text }) => `${{ same: " ", removed: "-", added: "+" }[kind]}${text}`);

describe("the lines of two versions", () => {
  it("are the same, removed or added", () => {
    expect(shown("a\nb\nc", "a\nx\nc\nd")).toEqual([" a", "-b", "+x", " c", "+d"]);
    expect(shown("a", "a")).toEqual([" a"]);
    expect(shown("a\nb", "b")).toEqual(["-a", " b"]);
  });

  it("give both texts back", () => {
    const [before, after] = ["1\n2\n3\n4\n2\n5", "2\n9\n3\n5\n4"];
    const lines = lineDiff(before, after);
    const of = (left: string) => lines.filter(({ kind }) => kind !== left).map(({ text }) => text);
    expect(of("added").join("\n")).toBe(before);
    expect(of("removed").join("\n")).toBe(after);
  });
});
