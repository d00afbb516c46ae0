/** The order of jobs in a short list: what needs a look, what runs, then what is stopped. No React. */

import type { JobSummary } from "../../api/types";

type Ranked = Pick<JobSummary, "name" | "desired" | "observed" | "skipping">;

const RANKS: Readonly<Partial<Record<JobSummary["observed"], number>>> = {
  failed: 0,
  unknown: 1,
  waiting: 1,
  queued: 1,
  replaying: 2,
  starting: 2,
  stopping: 2,
  running: 3,
  stopped: 4,
  never_started: 5,
};

function rank({ desired, observed, skipping }: Ranked): number {
  if (skipping.length) return 1;
  // What should run and does not is not at rest.
  if (desired === "running" && (observed === "stopped" || observed === "never_started")) return 1;
  return RANKS[observed] ?? 1;
}

/** Equal ones by name. */
export function byUrgency<J extends Ranked>(jobs: readonly J[]): J[] {
  return [...jobs].sort((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name));
}
