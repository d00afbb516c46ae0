/** A job from REST, updated with the status frames since. */

import { useContext, useMemo, useState } from "react";
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
    lag: frame.lag === undefined ? job.lag : frame.lag,
    lag_health: frame.lag_health === undefined ? job.lag_health : frame.lag_health,
    rows_per_second: frame.rows_per_second === undefined ? job.rows_per_second : frame.rows_per_second,
    skipping: frame.skipping ?? job.skipping,
    draining: frame.draining ?? job.draining,
    catching_up: frame.catching_up === undefined ? job.catching_up : frame.catching_up,
    overload: frame.overload === undefined ? job.overload : frame.overload,
  };
}

/**
 * Jobs with their states as they are pushed. A job stays the same object until its own state changes, so that
 * a list is not drawn anew for one of them.
 */
export function useLiveJobs(jobs: readonly JobSummary[]): JobSummary[] {
  const states = useContext(RunStatesContext);
  const [merged] = useState(() => new Merged());
  return useMemo(() => jobs.map((job) => merged.of(job, states.get(job.id))), [merged, jobs, states]);
}

export function useLiveJob(job: Job): Job {
  const frame = useContext(RunStatesContext).get(job.id);
  return useMemo(() => withStatus(job, frame), [job, frame]);
}

/** Jobs with their newest frames, made once for each pair. */
export class Merged {
  private readonly known = new WeakMap<JobSummary, { frame: StatusFrame | undefined; job: JobSummary }>();

  of(job: JobSummary, frame: StatusFrame | undefined): JobSummary {
    const before = this.known.get(job);
    if (before && before.frame === frame) return before.job;
    const merged = withStatus(job, frame);
    this.known.set(job, { frame, job: merged });
    return merged;
  }
}
