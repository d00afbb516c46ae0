/** Durations in words: `0.25 ms`, `80 ms`, `0.4 s`, `12 s`, `1 min 20 s`, `2 h 5 min`, `3 d 4 h`. */

import { measured, UNKNOWN } from "./numbers";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const LARGE: readonly (readonly [number, string, number, string])[] = [
  [DAY, "d", HOUR, "h"],
  [HOUR, "h", MINUTE, "min"],
  [MINUTE, "min", SECOND, "s"],
];

/** Lengths below the first are said in whole steps of the second. */
const STEPS: readonly (readonly [number, number])[] = [
  [100, 1],
  [9950, 100],
  [HOUR, SECOND],
  [DAY, MINUTE],
];

/** @param ms length in milliseconds; negative lengths keep their sign. */
export function duration(ms: number | null | undefined): string {
  if (ms === null || ms === undefined || !Number.isFinite(ms)) return UNKNOWN;
  if (ms < 0) return `−${duration(-ms)}`;
  if (ms === 0) return "0 s";
  if (ms < 10) return `${measured(ms)} ms`;
  if (ms < 100) return `${String(Math.round(ms))} ms`;
  if (ms < 9950) return `${(ms / SECOND).toFixed(1).replace(/\.0$/, "")} s`;
  const rounded = Math.round(ms / SECOND) * SECOND;
  for (const [big, bigName, small, smallName] of LARGE) {
    if (rounded < big) continue;
    const bigs = Math.floor(rounded / big);
    const smalls = Math.floor((rounded % big) / small);
    return smalls
      ? `${String(bigs)} ${bigName} ${String(smalls)} ${smallName}`
      : `${String(bigs)} ${bigName}`;
  }
  return `${String(rounded / SECOND)} s`;
}

/** @returns the shortest length from `ms` on that `duration` says without rounding, in milliseconds */
export function roundedUp(ms: number): number {
  const exact = Math.round(ms * 1000) / 1000; // a difference of decimals has digits of its own
  const step = STEPS.find(([below]) => exact < below)?.[1] ?? HOUR;
  return Math.ceil(exact / step) * step;
}

/** Seconds in, words out. */
export function seconds(value: number | null | undefined): string {
  return duration(value === null || value === undefined ? value : value * SECOND);
}

const PARTS: Readonly<Record<string, number>> = {
  us: 0.001,
  ms: 1,
  s: SECOND,
  m: MINUTE,
  min: MINUTE,
  h: HOUR,
  d: DAY,
  w: 7 * DAY,
};

const PART = String.raw`(\d{1,12}(?:\.\d{1,6})?)\s*(min|us|ms|[smhdw])`;
const WHOLE = new RegExp(String.raw`^\s*[-\u2212]?(?:\s*${PART})+\s*$`);

/**
 * Milliseconds of a duration as documents write it (`1h30m`) or as `duration` prints it (`1 h 30 min`); null
 * where it is none. The server reads the same (`jobs.base.durations`).
 */
export function parseDuration(text: string): number | null {
  if (!WHOLE.test(text)) return null;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(new RegExp(PART, "g"))) {
    total += Number(amount) * (PARTS[unit ?? ""] ?? 0);
  }
  return /^\s*[-\u2212]/.test(text) ? -total : total;
}
