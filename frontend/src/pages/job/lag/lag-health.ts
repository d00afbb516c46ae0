/**
 * Whether a job keeps up, judged from the last minutes of its history; no result where there is too little
 * data.
 */

import type { HistoryPoint } from "../../../api/types";

export type LagStatus = "unknown" | "keeping_up" | "catching_up" | "falling_behind" | "stalled";
export interface LagHealth {
  standing: LagStatus;
  /** epoch ms at which a job that catches up will have done so, if it goes on like this */
  doneAt: number | null;
}

const TREND_WINDOW_MS = 120_000;
/** Lag below this many seconds is fine. Real-time mode commits every 30 s, yet reads at once. */
const NEAR_S = 3;
/** Slower changes than this share of the lag per minute are noise. */
const NOISE = 0.05;

interface Sample {
  at: number;
  records: number;
  seconds: number;
  rowsIn: number;
}

function samples(points: readonly HistoryPoint[]): Sample[] {
  const known = points.flatMap(({ at, lag_records, lag_seconds, rows_in_per_second }) =>
    lag_records === null
      ? []
      : [
          {
            at: Date.parse(at),
            records: lag_records,
            seconds: lag_seconds ?? 0,
            rowsIn: rows_in_per_second ?? 0,
          },
        ],
  );
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

export function lagHealth(points: readonly HistoryPoint[]): LagHealth {
  const rows = samples(points);
  const last = rows.at(-1);
  if (!last || rows.length < 3) return { standing: "unknown", doneAt: null };
  if (last.seconds <= NEAR_S || last.records === 0) return { standing: "keeping_up", doneAt: null };
  const perSecond = slope(rows);
  if (Math.abs(perSecond) * 60 < last.records * NOISE) {
    const reads = rows.some(({ rowsIn }) => rowsIn > 0);
    return { standing: reads ? "keeping_up" : "stalled", doneAt: null };
  }
  if (perSecond > 0)
    return { standing: rows.some(({ rowsIn }) => rowsIn > 0) ? "falling_behind" : "stalled", doneAt: null };
  return { standing: "catching_up", doneAt: last.at + (last.records / -perSecond) * 1000 };
}
