/**
 * Files with one record per line. The server parses the lines, so that no digit is lost in the browser. No
 * React.
 */

import type { InvalidLine, Line } from "../../../api/uploads";
import { count } from "../../../ui/format/numbers";

/** The lines of a file that are not empty, with their numbers from 1. */
export function linesOf(text: string): Line[] {
  return text
    .split(/\r?\n/)
    .map((line, at) => ({ number: at + 1, text: line }))
    .filter(({ text: line }) => line.trim() !== "");
}

const SHOWN_RANGES = 20;

/** `Line 4`, `Lines 2–5, 9`; at most twenty ranges. */
export function linesText(numbers: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last && last[1] === number - 1) last[1] = number;
    else ranges.push([number, number]);
  }
  const shown = ranges
    .slice(0, SHOWN_RANGES)
    .map(([from, to]) => (from === to ? count(from) : `${count(from)}–${count(to)}`));
  const more = ranges.length > SHOWN_RANGES ? " and others" : "";
  return `${numbers.length === 1 ? "Line" : "Lines"} ${shown.join(", ")}${more}`;
}

/** What fits: all lines without those that do not. */
export function validLines(lines: readonly Line[], invalid: readonly InvalidLine[]): Line[] {
  const bad = new Set(invalid.map(({ line }) => line));
  return lines.filter(({ number }) => !bad.has(number));
}
