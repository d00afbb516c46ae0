/** Assumptions on a job's load, and texts for the resulting state size. No React. */

import type { Load } from "../api/query-keys";
import type { CheckedNode, StateForecast } from "../api/types";
import { bytes, count, UNKNOWN } from "../ui/format/numbers";

/** Default rate of a source, in records per second. */
export const DEFAULT_RATE = 100;

/** The user's values by name; null for an emptied field. */
export interface LoadAssumptions {
  rates: Readonly<Record<string, number | null>>;
  key_counts: Readonly<Record<string, number | null>>;
}

/** The request to the server, without unknown values and without names that are no longer in the document. */
export function loadOf(
  { rates, key_counts }: LoadAssumptions,
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
    rates: knownOnly(sources, (name) => (rates[name] === undefined ? DEFAULT_RATE : rates[name])),
    key_counts: knownOnly(statefulSteps, (name) => key_counts[name]),
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
  return bound === "unbounded" && key_counts[step] === undefined;
}

export function entriesText({ rows }: Pick<StateForecast, "rows">, perDay: boolean): string {
  if (rows === null) return UNKNOWN;
  return perDay ? `up to ${count(rows)}/day` : count(rows);
}

export function sizeText({ bytes: size }: Pick<StateForecast, "bytes">, perDay: boolean): string {
  return size === null ? UNKNOWN : `~${bytes(size)}${perDay ? "/day" : ""}`;
}
