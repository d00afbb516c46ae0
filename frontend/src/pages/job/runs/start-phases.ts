/** The phases of a start, as a person reads them. No React. */

import type { Run } from "../../../api/types";

export const PHASES = [
  ["noticed", "Noticed", "The platform saw the engine's process end."],
  ["placed", "Placed", "An engine was chosen and told."],
  ["engine_ready", "Engine ready", "The engine's JVM and Spark session are there."],
  ["received", "Received", "The engine has read what it is to run."],
  ["planned", "Planned", "The job document is planned."],
  ["queries_started", "Queries started", "Spark has the queries."],
  ["first_batch", "First batch", "The first batch begins; it loads the state."],
  ["caught_up", "Caught up", "Results are live."],
] as const;

export type Phase = (typeof PHASES)[number][0];

export interface ReachedPhase {
  phase: Phase;
  label: string;
  meaning: string;
  /** since the interruption or the request, in milliseconds; null: not known */
  atMs: number | null;
  /** since the phase before that is known */
  tookMs: number | null;
  /** a later phase was reached, so this one was too, and its report was lost */
  passed: boolean;
}

/** @returns all phases in order; `noticed` only of a start after the death of a process */
export function startPhases({ phases_ms: at, interrupted_at }: Run): ReachedPhase[] {
  const listed = PHASES.filter(([phase]) => phase !== "noticed" || interrupted_at !== null);
  let before = 0;
  return listed.map(([phase, label, meaning], index) => {
    const atMs = at[phase];
    const tookMs = atMs === null ? null : atMs - before;
    before = atMs ?? before;
    const passed = atMs === null && listed.slice(index + 1).some(([later]) => at[later] !== null);
    return { phase, label, meaning, atMs, tookMs, passed };
  });
}
