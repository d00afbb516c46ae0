/** Assumptions on a job's load, and texts for the resulting state size. No React. */

import { ownValue } from "../api/own-value";
import type { Load } from "../api/query-keys";
import type { CheckedNode, MeasuredLoad, StateForecast } from "../api/types";
import { bytes, count, counted, UNKNOWN } from "../ui/format/numbers";

/** Rate of a source that is silent or can't be measured, in records per second. */
export const ASSUMED_RATE = 100;

/** Nothing is measured yet. */
export const UNMEASURED: MeasuredLoad = { rates: {}, key_counts: {}, sampled: {} };

/** The user's values by name; null for an emptied field. */
export interface LoadAssumptions {
  rates: Readonly<Record<string, number | null>>;
  key_counts: Readonly<Record<string, number | null>>;
}

/** The rate to start from: as measured, unless nothing is written at present. */
export function usualRate(measured: MeasuredLoad, source: string): number {
  return Math.round((ownValue(measured.rates, source) ?? 0) * 10) / 10 || ASSUMED_RATE;
}

/** What the rate of a source rests on while the user has set none. */
export function rateBasis(measured: MeasuredLoad, source: string): string {
  const measuredRate = ownValue(measured.rates, source);
  if (measuredRate === undefined) return "Assumed";
  return measuredRate > 0 ? "Measured, last minute" : "Assumed: no new records";
}

/** What the number of keys of a step rests on while the user has set none. */
export function keysBasis(measured: MeasuredLoad, step: string): string {
  const rows = ownValue(measured.sampled, step);
  if (rows === undefined) return "Unknown: one per row";
  return rows === 0 ? "No key fields" : `In the newest ${counted(rows, "record")}`;
}

/**
 * The request to the server: what the user set, else what was measured; without unknown values and without
 * names that are no longer in the document.
 */
export function loadOf(
  { rates, key_counts }: LoadAssumptions,
  measured: MeasuredLoad,
  sources: readonly string[],
  statefulSteps: readonly string[],
): Load {
  const knownOnly = (names: readonly string[], value: (name: string) => number | null | undefined) =>
    Object.fromEntries(
      names.flatMap((name): [string, number][] => {
        const known = value(name);
        return known === null || known === undefined ? [] : [[name, known]];
      }),
    );
  return {
    rates: knownOnly(sources, (name) =>
      Object.hasOwn(rates, name) ? rates[name] : usualRate(measured, name),
    ),
    key_counts: knownOnly(statefulSteps, (name) =>
      ownValue(Object.hasOwn(key_counts, name) ? key_counts : measured.key_counts, name),
    ),
  };
}

/** Whether a step's state depends on its number of distinct keys. */
export function countsKeys({ op, state }: Pick<CheckedNode, "op" | "state">): boolean {
  return state.bound !== "none" && op !== "join";
}

/** Whether a step's size is its growth per day, because its state is unbounded. */
export function isPerDay(
  { step, bound }: Pick<StateForecast, "step" | "bound">,
  { key_counts }: Load,
): boolean {
  return bound === "unbounded" && !Object.hasOwn(key_counts, step);
}

export function entriesText({ rows }: Pick<StateForecast, "rows">, perDay: boolean): string {
  if (rows === null) return UNKNOWN;
  return perDay ? `up to ${count(rows)}/day` : count(rows);
}

export function sizeText({ bytes: size }: Pick<StateForecast, "bytes">, perDay: boolean): string {
  return size === null ? UNKNOWN : `~${bytes(size)}${perDay ? "/day" : ""}`;
}

/** Bytes of all steps together; null where one is unknown or grows without bound. */
export function totalBytes(steps: readonly Pick<StateForecast, "bytes" | "bound">[]): number | null {
  return steps.every(({ bytes: size, bound }) => size !== null && bound === "bounded")
    ? steps.reduce((sum, { bytes: size }) => sum + (size ?? 0), 0)
    : null;
}
