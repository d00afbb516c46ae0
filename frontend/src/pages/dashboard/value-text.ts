/** Numbers of panels with their units, and the tone that thresholds give them. No React. */

import type { Threshold } from "../../api/types";
import { duration, seconds } from "../../ui/format/durations";
import { bytes, measured, UNKNOWN } from "../../ui/format/numbers";

const WRITERS = new Map<string, (value: number) => string>([
  ["", measured],
  ["%", (value) => `${measured(value)}%`],
  ["bytes", bytes],
  ["ms", duration],
  ["s", seconds],
]);

/**
 * How numbers of this unit are written: sizes and durations in the unit that fits, others with the unit. The
 * same function for the same unit: a chart is built anew with another.
 */
export function writerOf(unit: string): (value: number) => string {
  const known = WRITERS.get(unit);
  if (known) return known;
  const writer = (value: number) => `${measured(value)} ${unit}`;
  WRITERS.set(unit, writer);
  return writer;
}

/** A number with its unit; – where it is not known. */
export function valueText(value: number | null, unit: string): string {
  return value === null ? UNKNOWN : writerOf(unit)(value);
}

export type Tone = Threshold["tone"];

/** The tone of the greatest threshold that the value has reached; null below all of them. */
export function toneOf(value: number | null, thresholds: readonly Threshold[]): Tone | null {
  if (value === null) return null;
  return thresholds.findLast((threshold) => value >= threshold.value)?.tone ?? null;
}

/** `+12%`, `−3 ms`: how a value differs from the one before; null where there is nothing to compare. */
export function changeText(value: number | null, before: number | null, unit: string): string | null {
  if (value === null || before === null) return null;
  const difference = value - before;
  if (difference === 0) return "no change";
  const sign = difference > 0 ? "+" : "−";
  const share = before === 0 ? null : (Math.abs(difference) / Math.abs(before)) * 100;
  const amount = `${sign}${writerOf(unit)(Math.abs(difference))}`;
  return share === null || unit === "%" ? amount : `${amount} (${sign}${measured(share)}%)`;
}

const TONE_WORDS: Readonly<Record<Tone, string>> = { good: "Good", warn: "Warning", bad: "Critical" };

export function toneWord(tone: Tone): string {
  return TONE_WORDS[tone];
}
