/**
 * Files with one record per line. The server parses the lines, so that no digit is lost in the browser. No
 * React.
 */

export interface Line {
  number: number;
  text: string;
}

/** The lines of a file that are not empty, with their numbers from 1. */
export function linesOf(text: string): Line[] {
  return text
    .split(/\r?\n/)
    .map((line, at) => ({ number: at + 1, text: line }))
    .filter(({ text: line }) => line.trim() !== "");
}

export interface InvalidLine {
  line: number;
  message: string;
}

/** What fits: all lines without those that do not. */
export function validLines(lines: readonly Line[], invalid: readonly InvalidLine[]): Line[] {
  const bad = new Set(invalid.map(({ line }) => line));
  return lines.filter(({ number }) => !bad.has(number));
}
