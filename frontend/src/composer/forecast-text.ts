/** What is supposed of a job's load, and what it makes of the state, in words. No React. */

import type { Load } from "../api/query-keys";
import type { CheckedNode, StateForecast } from "../api/types";
import { bytes, count, UNKNOWN } from "../ui/format/numbers";

/** Records per second of a source until somebody says otherwise. */
export const DEFAULT_RATE = 100;

/** By name what a person wrote; null where they emptied the field. */
export interface LoadAssumptions {
  rates: Readonly<Record<string, number | null>>;
  keys: Readonly<Record<string, number | null>>;
}

/** What the server is asked for: what is not known is left out, and so are names that the document has no more. */
export function loadOf({ rates, keys }: LoadAssumptions, sources: readonly string[], statefulSteps: readonly string[]): Load {
  const given = (names: readonly string[], value: (name: string) => number | null | undefined) =>
    Object.fromEntries(names.flatMap((name): [string, number][] => { const known = value(name); return known === null || known === undefined ? [] : [[name, known]]; }));
  return { rates: given(sources, (name) => (rates[name] === undefined ? DEFAULT_RATE : rates[name])), keys: given(statefulSteps, (name) => keys[name]) };
}

/** Steps whose state depends on how many different keys they see. */
export function countsKeys({ op, state }: Pick<CheckedNode, "op" | "state">): boolean {
  return state.bound !== "none" && op !== "join";
}

/** Whether a step's figure is what comes to it every day, because nothing ends what it keeps. */
export function isPerDay({ step, bound }: Pick<StateForecast, "step" | "bound">, { keys }: Load): boolean {
  return bound === "unbounded" && keys[step] === undefined;
}

export function entriesText({ rows }: Pick<StateForecast, "rows">, perDay: boolean): string {
  if (rows === null) return UNKNOWN;
  return perDay ? `up to ${count(rows)}/day` : count(rows);
}

export function sizeText({ bytes: size }: Pick<StateForecast, "bytes">, perDay: boolean): string {
  return size === null ? UNKNOWN : `~${bytes(size)}${perDay ? "/day" : ""}`;
}
