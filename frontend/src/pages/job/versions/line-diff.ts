/** The lines of two texts side by side: kept, removed, added. No React. */

export interface DiffLine {
  kind: "same" | "removed" | "added";
  text: string;
}

/** Longest common subsequence of the lines; removed lines stand before added ones. */
export function lineDiff(before: string, after: string): DiffLine[] {
  const [a, b] = [before.split("\n"), after.split("\n")];
  const longest = commonLengths(a, b);
  const width = b.length + 1;
  const at = (i: number, j: number) => longest[i * width + j] ?? 0;
  const lines: DiffLine[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    const [left, right] = [a[i], b[j]];
    if (left !== undefined && left === right) {
      lines.push({ kind: "same", text: left });
      i += 1;
      j += 1;
    } else if (left !== undefined && (right === undefined || at(i + 1, j) >= at(i, j + 1))) {
      lines.push({ kind: "removed", text: left });
      i += 1;
    } else {
      lines.push({ kind: "added", text: right ?? "" });
      j += 1;
    }
  }
  return lines;
}

/** How many lines the rests of both texts have in common, from every pair of lines on. */
function commonLengths(a: readonly string[], b: readonly string[]): Uint32Array {
  const width = b.length + 1;
  const longest = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      const [below, beside] = [longest[(i + 1) * width + j] ?? 0, longest[i * width + j + 1] ?? 0];
      longest[i * width + j] =
        a[i] === b[j] ? (longest[(i + 1) * width + j + 1] ?? 0) + 1 : Math.max(below, beside);
    }
  }
  return longest;
}
