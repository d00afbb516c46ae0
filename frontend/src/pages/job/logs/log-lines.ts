/** The lines of a run's log: stored and live ones together, as they are shown, copied and saved. */

import type { LogFilter } from "../../../api/query-keys";
import type { LogLine } from "../../../api/types";

export const LEVELS = ["info", "warning", "error"] as const;
export type Level = (typeof LEVELS)[number];

export const LEVEL_CHOICES: readonly { value: Level; label: string }[] = [
  { value: "info", label: "All levels" },
  { value: "warning", label: "Warnings and errors" },
  { value: "error", label: "Errors" },
];

/** A level of an address; what is none is the lowest. */
export function readLevel(text: string): Level {
  return LEVELS.find((level) => level === text) ?? "info";
}

function order(left: LogLine, right: LogLine): number {
  if (left.at !== right.at) return left.at < right.at ? -1 : 1;
  return numberOf(left) - numberOf(right);
}

// The name of a line ends with its number within the engine's incarnation.
function numberOf({ id }: LogLine): number {
  return Number(id.slice(id.lastIndexOf("-") + 1));
}

/** Whether the server would give this line for the filter. */
export function passes(line: LogLine, { level = "info", q = "" }: LogFilter): boolean {
  if (LEVELS.indexOf(line.level) < LEVELS.indexOf(level)) return false;
  const part = q.toLowerCase();
  return !part || [line.message, line.detail, line.logger].some((text) => text.toLowerCase().includes(part));
}

/**
 * Each line once, the oldest first.
 *
 * @param stored lines of pages, which are complete back to the oldest of them
 * @param live lines that came since; of those older than the pages reach, there may be gaps, so they are left
 *   out unless everything was read
 * @param complete all pages were read
 */
export function merged(
  stored: readonly LogLine[],
  live: readonly LogLine[],
  filter: LogFilter,
  complete: boolean,
): LogLine[] {
  const ids = new Set(stored.map(({ id }) => id));
  const oldest = stored.at(-1)?.at;
  const fresh = live.filter(
    (line) =>
      !ids.has(line.id) && passes(line, filter) && (complete || oldest === undefined || line.at >= oldest),
  );
  return [...stored, ...fresh].sort(order);
}

/** A line as text; the error comes below it, indented. */
export function lineText({ at, level, logger, message, detail }: LogLine): string {
  const head = `${at} ${level.toUpperCase().padEnd(7)} ${logger}: ${message}`;
  return detail ? `${head}\n${detail.trimEnd().replace(/^/gm, "    ")}` : head;
}

export function logText(lines: readonly LogLine[]): string {
  return lines.map((line) => `${lineText(line)}\n`).join("");
}

/** `stats-generation-3.log`, with nothing in it that a file system refuses. */
export function fileName(job: string, generation: number | undefined): string {
  const name = job.replace(/[^A-Za-z0-9._-]+/g, "-");
  return `${name}${generation === undefined ? "" : `-generation-${String(generation)}`}.log`;
}

/** The part of a logger's name that tells: `Executor` of `org.apache.spark.executor.Executor`. */
export function shortLogger(logger: string): string {
  return logger.slice(logger.lastIndexOf(".") + 1);
}
