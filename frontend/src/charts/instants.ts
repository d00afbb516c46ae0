/** Instants of result rows. No React. */

// The same few hundred bounds come back in every row and every drawing; reading a date is the dear part.
const INSTANTS = new Map<string, number>();
const KEPT_INSTANTS = 50_000;

/** An ISO text in epoch seconds; NaN for anything else. */
export function epochSeconds(value: unknown): number {
  if (typeof value !== "string") return Number.NaN;
  const known = INSTANTS.get(value);
  if (known !== undefined) return known;
  if (INSTANTS.size > KEPT_INSTANTS) INSTANTS.clear();
  const read = Date.parse(value) / 1000;
  INSTANTS.set(value, read);
  return read;
}

/** The smallest distance between neighbours of ascending times; null where there are fewer than two. */
export function smallestStep(times: readonly number[]): number | null {
  let step = Infinity;
  for (let i = 1; i < times.length; i += 1) step = Math.min(step, (times[i] ?? 0) - (times[i - 1] ?? 0));
  return Number.isFinite(step) ? step : null;
}
