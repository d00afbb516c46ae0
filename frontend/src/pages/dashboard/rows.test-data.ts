/** Rows of a result for tests of panels, each newer than the one before. */

import type { CachedRow } from "../../live/result-store";

export const T0 = Date.UTC(2026, 0, 1) / 1000;

export const at = (second: number) => new Date((T0 + second) * 1000).toISOString();

let made = 0;

export function row(value: Record<string, unknown>): CachedRow {
  made += 1;
  return { id: String(made), value, newest: made, partial: false, changed: {} };
}
