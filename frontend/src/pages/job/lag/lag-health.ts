/**
 * Whether a job keeps up, judged from the last five minutes of its history. Nothing is said over less than
 * one.
 */

import type { JobHistory } from "../../../api/types";

export type LagStatus = "unknown" | "keeping_up" | "catching_up" | "falling_behind" | "stalled";
export interface LagHealth {
  standing: LagStatus;
  /** epoch ms at which a job that catches up will have done so, if it goes on like this */
  doneAt: number | null;
}

export const UNKNOWN_HEALTH: LagHealth = { standing: "unknown", doneAt: null };

const TREND_WINDOW_MS = 300_000;
/** Less says nothing: a burst, a commit or one batch would pass for a trend. */
const MIN_SPAN_MS = 60_000;
/** A lag that falls below this many seconds now and then is none to speak of. */
const NEAR_S = 10;
/** Slower changes than this share of the lag per minute are noise. */
const NOISE = 0.05;
/** Thirds of the window; their lowest lags are compared, because lag between two batches is a sawtooth. */
const PARTS = 3;

type Measures = JobHistory["measures"];
export interface RecentHistory {
  at: readonly string[];
  measures: Pick<Measures, "lag_records" | "lag_seconds" | "rows_in_per_second">;
}

interface Sample {
  at: number;
  records: number;
  seconds: number;
  rowsIn: number;
}

/** The least of each point: lag between two batches is a sawtooth. */
function samples({ at, measures }: RecentHistory): Sample[] {
  const known = at.flatMap((text, index) => {
    const records = measures.lag_records.min[index];
    if (records === null || records === undefined) return [];
    const lag = measures.lag_seconds.min[index] ?? 0;
    return [
      { at: Date.parse(text), records, seconds: lag, rowsIn: measures.rows_in_per_second.avg[index] ?? 0 },
    ];
  });
  const newest = known.at(-1)?.at ?? 0;
  return known.filter(({ at }) => at >= newest - TREND_WINDOW_MS);
}

/** Messages per second by which the lag changes, by least squares. */
function slope(rows: readonly Sample[]): number {
  const n = rows.length;
  const meanX = rows.reduce((sum, { at }) => sum + at / 1000, 0) / n;
  const meanY = rows.reduce((sum, { records }) => sum + records, 0) / n;
  let over = 0;
  let under = 0;
  for (const { at, records } of rows) {
    const x = at / 1000 - meanX;
    over += x * (records - meanY);
    under += x * x;
  }
  return under === 0 ? 0 : over / under;
}

/** The lowest value in each third of the time, or null where a third has no sample. */
function lows(rows: readonly Sample[], value: (row: Sample) => number): number[] | null {
  const from = rows[0]?.at ?? 0;
  const span = (rows.at(-1)?.at ?? 0) - from;
  const found = new Array<number>(PARTS).fill(Infinity);
  for (const row of rows) {
    const part = Math.min(PARTS - 1, Math.floor(((row.at - from) / span) * PARTS));
    found[part] = Math.min(found[part] ?? Infinity, value(row));
  }
  return found.every(Number.isFinite) ? found : null;
}

export function lagHealth(history: RecentHistory): LagHealth {
  const rows = samples(history);
  const [first, last] = [rows[0], rows.at(-1)];
  if (!first || !last || last.at - first.at < MIN_SPAN_MS) return UNKNOWN_HEALTH;
  const records = lows(rows, (row) => row.records);
  const seconds = lows(rows, (row) => row.seconds);
  if (!records || !seconds) return UNKNOWN_HEALTH;
  const newest = records[PARTS - 1] ?? 0;
  if (newest === 0 || (seconds[PARTS - 1] ?? 0) <= NEAR_S) return { standing: "keeping_up", doneAt: null };
  if (!rows.some(({ rowsIn }) => rowsIn > 0)) return { standing: "stalled", doneAt: null };
  const minutes = (last.at - first.at) / 60_000;
  const changed = newest - (records[0] ?? 0);
  const [early = 0, middle = 0] = records;
  if (Math.abs(changed) < newest * NOISE * minutes) return { standing: "keeping_up", doneAt: null };
  if (early < middle && middle < newest) return { standing: "falling_behind", doneAt: null };
  const perSecond = slope(rows);
  if (early > middle && middle > newest && perSecond < 0)
    return { standing: "catching_up", doneAt: last.at + (last.records / -perSecond) * 1000 };
  return { standing: "keeping_up", doneAt: null };
}
