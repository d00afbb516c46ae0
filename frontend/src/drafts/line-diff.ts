/** The lines of two texts side by side: kept, removed, added. No React. */

import { diffArrays } from "diff";
import { withLineFeeds } from "./line-ends";

export interface DiffLine {
  kind: "same" | "removed" | "added";
  text: string;
}

/** The fewest changes that make one text the other; removed lines stand before added ones. */
export function lineDiff(before: string, after: string): DiffLine[] {
  return diffArrays(linesOf(before), linesOf(after)).flatMap(({ added, removed, value }) => {
    const kind = added ? "added" : removed ? "removed" : "same";
    return value.map((text) => ({ kind, text }) as const);
  });
}

function linesOf(text: string): string[] {
  return withLineFeeds(text).split("\n");
}

/** What stands in place of kept lines that nobody has to read. */
export interface FoldedLines {
  kind: "folded";
  count: number;
}

const AROUND = 3;
/** Fewer lines than this are shown: folding them would save nothing. */
const MIN_FOLDED = 6;

/** The lines with the kept ones folded that are far from every change. */
export function foldedDiff(lines: readonly DiffLine[]): (DiffLine | FoldedLines)[] {
  const near = lines.map((_, at) =>
    lines.slice(Math.max(0, at - AROUND), at + AROUND + 1).some(({ kind }) => kind !== "same"),
  );
  const shown: (DiffLine | FoldedLines)[] = [];
  for (let at = 0; at < lines.length;) {
    const next = near.indexOf(true, at);
    const end = next < 0 ? lines.length : next;
    if (end - at >= MIN_FOLDED) shown.push({ kind: "folded", count: end - at });
    else shown.push(...lines.slice(at, end));
    const far = near.indexOf(false, end);
    at = far < 0 ? lines.length : far;
    shown.push(...lines.slice(end, at));
  }
  return shown;
}

/** What is a text already. */
export function asWritten(text: string): string {
  return text;
}
