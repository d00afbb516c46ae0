import { describe, expect, it } from "vitest";
import { foldedDiff, lineDiff } from "./line-diff";

const shown = (before: string, after: string) =>
  lineDiff(before, after).map(({ kind, text }) => `${{ same: " ", removed: "-", added: "+" }[kind]}${text}`);

describe("the lines of two versions", () => {
  it("are the same, removed or added", () => {
    expect(shown("a\nb\nc", "a\nx\nc\nd")).toEqual([" a", "-b", "+x", " c", "+d"]);
    expect(shown("a", "a")).toEqual([" a"]);
    expect(shown("a\nb", "b")).toEqual(["-a", " b"]);
    expect(shown("a\r\nb", "a\nb"), "other line ends").toEqual([" a", " b"]);
  });

  it("are folded where they are far from every change", () => {
    const lines = Array.from({ length: 30 }, (_, at) => String(at));
    const changed = lines.with(12, "x").with(20, "y");
    const folded = foldedDiff(lineDiff(lines.join("\n"), changed.join("\n")));
    expect(folded.filter(({ kind }) => kind === "folded")).toEqual([
      { kind: "folded", count: 9 },
      { kind: "folded", count: 6 },
    ]);
    expect(folded.filter(({ kind }) => kind === "removed")).toHaveLength(2);
    expect(folded.flatMap((line) => (line.kind === "same" ? [line.text] : []))).toEqual([
      ...["9", "10", "11", "13", "14", "15", "16", "17", "18", "19", "21", "22", "23"],
    ]);
    expect(foldedDiff(lineDiff("a\nb", "a\nb"))).toHaveLength(2);
    expect(foldedDiff(lineDiff(lines.join("\n"), lines.join("\n")))).toEqual([{ kind: "folded", count: 30 }]);
  });

  it("give both texts back", () => {
    const [before, after] = ["1\n2\n3\n4\n2\n5", "2\n9\n3\n5\n4"];
    const lines = lineDiff(before, after);
    const of = (left: string) => lines.filter(({ kind }) => kind !== left).map(({ text }) => text);
    expect(of("added").join("\n")).toBe(before);
    expect(of("removed").join("\n")).toBe(after);
  });
});
