/** A job from REST, updated with the status frames since. */

import { useContext } from "react";
import type { StatusFrame } from "../live/frames";
import { RunStatesContext } from "./live";
import type { Job, JobSummary } from "./types";

function iso(us: number | null | undefined): string | null {
  return us === null || us === undefined ? null : new Date(us / 1000).toISOString();
}

/** @returns the job itself where the frame is older than the job's last word */
export function withStatus<J extends JobSummary>(job: J, frame: StatusFrame | undefined): J {
  if (!frame) return job;
  const seen = iso(frame.last_seen_us);
  if (job.last_seen_at && seen && seen < job.last_seen_at) return job;
  return {
    ...job,
    desired: frame.desired,
    observed: frame.observed ?? job.observed,
    observed_since: iso(frame.observed_since_us) ?? job.observed_since,
    last_seen_at: seen ?? job.last_seen_at,
    failure: frame.failure === undefined ? job.failure : frame.failure,
    lag: frame.lag ?? job.lag,
    lag_health: frame.lag_health === undefined ? job.lag_health : frame.lag_health,
    rows_per_second: frame.rows_per_second === undefined ? job.rows_per_second : frame.rows_per_second,
    skipping: frame.skipping ?? job.skipping,
    draining: frame.draining ?? job.draining,
    catching_up: frame.catching_up === undefined ? job.catching_up : frame.catching_up,
    overload: frame.overload === undefined ? job.overload : frame.overload,
  };
}

export function useLiveJobs(jobs: readonly JobSummary[]): JobSummary[] {
  const states = useContext(RunStatesContext);
  return jobs.map((job) => withStatus(job, states.get(job.id)));
}

export function useLiveJob(job: Job): Job {
  return withStatus(job, useContext(RunStatesContext).get(job.id));
}
