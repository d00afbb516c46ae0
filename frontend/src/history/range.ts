/** Ranges of a history, and how two of them are laid over each other. No React. */

import { duration } from "../ui/format/durations";

export interface HistoryRange {
  minutes: number;
  /** where it ends, as ISO text; null: now, and it moves on */
  until: string | null;
  /** minutes by which it lies before the range that is looked at; 0: it is that range */
  ago: number;
}

export const LAST_HOUR: HistoryRange = { minutes: 60, until: null, ago: 0 };
export const MAX_MINUTES = 30 * 24 * 60;

const LENGTHS = [
  { value: "60", label: "1 h" },
  { value: "360", label: "6 h" },
  { value: "1440", label: "24 h" },
  { value: "10080", label: "7 d" },
  { value: "43200", label: "30 d" },
];

/** The lengths to choose from, and the one that somebody dragged or linked to. */
export function lengths(minutes: number): { value: string; label: string }[] {
  const value = String(minutes);
  if (LENGTHS.some((one) => one.value === value)) return LENGTHS;
  return [{ value, label: duration(minutes * 60_000) }, ...LENGTHS];
}

/** Minutes that the other range ended before this one. */
export const COMPARED = [
  { value: "0", label: "No comparison" },
  { value: "1440", label: "Yesterday" },
  { value: "10080", label: "Last week" },
];

export function comparedText(ago: number): string {
  return COMPARED.find(({ value }) => value === String(ago))?.label.toLowerCase() ?? "";
}

/** A range as its address has it; what makes no sense is the last hour. */
export function parseRange(minutes: string, until: string, ago: string): HistoryRange {
  const length = Math.trunc(Number(minutes));
  const end = Date.parse(until);
  return {
    minutes: length >= 1 && length <= MAX_MINUTES ? length : LAST_HOUR.minutes,
    until: Number.isNaN(end) ? null : new Date(end).toISOString(),
    ago: COMPARED.some(({ value }) => value === ago) ? Number(ago) : 0,
  };
}

/** The query of a range: without an end while it moves on with the clock. */
export function rangeQuery({ minutes, until, ago }: HistoryRange, now = Date.now()) {
  if (until === null && ago === 0) return { minutes };
  const end = (until === null ? now : Date.parse(until)) - ago * 60_000;
  return { minutes, until: new Date(end).toISOString() };
}

/** Nothing was measured before, so an earlier end is one that is still being typed. */
const FIRST_YEAR = 2000;

/** The end that a text of an input means, as ISO text; undefined while it is none. */
export function typedEnd(text: string): string | undefined {
  const end = new Date(text);
  return end.getFullYear() >= FIRST_YEAR && end.getFullYear() < 10_000 ? end.toISOString() : undefined;
}

/** The range that was dragged on a chart, in epoch seconds. Its end is fixed. */
export function draggedRange(from: number, to: number): { minutes: number; until: string } {
  const minutes = Math.max(1, Math.ceil((to - from) / 60));
  return { minutes, until: new Date(to * 1000).toISOString() };
}

/** The end of the range before or after, or null where that reaches the present. */
export function movedEnd({ minutes, until }: HistoryRange, step: -1 | 1, now = Date.now()): string | null {
  const end = (until === null ? now : Date.parse(until)) + step * minutes * 60_000;
  return end >= now ? null : new Date(end).toISOString();
}

export interface Spans {
  avg: readonly (number | null)[];
  min: readonly (number | null)[];
  max: readonly (number | null)[];
}

/** Counts of each span as a measure: they have no extremes. */
export function countSpans(counts: readonly number[]): Spans {
  return { avg: counts, min: [], max: counts };
}

/** Points as columns, as the API answers them. */
export interface Columns<Name extends string> {
  resolution_s: number;
  from: string;
  until: string;
  at: readonly string[];
  measures: Readonly<Record<Name, Spans>>;
}

export function epochSeconds(at: readonly string[]): number[] {
  return at.map((text) => Date.parse(text) / 1000);
}

/**
 * What was measured so long before each of these times; null where nothing was.
 *
 * @param times epoch seconds, ascending
 * @param agoS how long before, in seconds
 */
export function aligned(
  times: readonly number[],
  before: { resolution_s: number; at: readonly string[] },
  agoS: number,
  values: readonly (number | null)[],
): (number | null)[] {
  const begins = epochSeconds(before.at);
  let at = 0;
  return times.map((time) => {
    const wanted = time - agoS;
    while (at + 1 < begins.length && (begins[at + 1] ?? Number.POSITIVE_INFINITY) <= wanted) at += 1;
    const began = begins[at];
    if (began === undefined || wanted < began || wanted >= began + before.resolution_s) return null;
    return values[at] ?? null;
  });
}
