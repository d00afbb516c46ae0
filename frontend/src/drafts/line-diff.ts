/** The lines of two texts side by side: kept, removed, added. No React. */

import { diffArrays } from "diff";

export interface DiffLine {
  kind: "same" | "removed" | "added";
  text: string;
}

/** The fewest changes that make one text the other; removed lines stand before added ones. */
export function lineDiff(before: string, after: string): DiffLine[] {
  return diffArrays(before.split("\n"), after.split("\n")).flatMap(({ added, removed, value }) => {
    const kind = added ? "added" : removed ? "removed" : "same";
    return value.map((text) => ({ kind, text }) as const);
  });
}

/** What is a text already. */
export function asWritten(text: string): string {
  return text;
}
