/** A job from REST, updated with the status frames since. */

import { useIsMutating } from "@tanstack/react-query";
import { useContext, useMemo, useState } from "react";
import type { StatusFrame } from "../live/frames";
import { askedAt, newerThan } from "./freshness";
import { deletionKey } from "./jobs";
import { RunStatesContext, type RunState } from "./live";
import { keys } from "./query-keys";
import type { Job, JobSummary } from "./types";
import { useWorkspace } from "./workspace-context";

function iso(us: number | null | undefined): string | null {
  return us === null || us === undefined ? null : new Date(us / 1000).toISOString();
}

/** @returns the job itself where the frame is older than the job's last word */
export function withStatus<J extends JobSummary>(job: J, frame: StatusFrame | undefined): J {
  if (!frame || frame.deleted) return job;
  const seen = iso(frame.last_seen_us);
  if (job.last_seen_at && seen && seen < job.last_seen_at) return job;
  return {
    ...job,
    desired: frame.desired ?? job.desired,
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

/** As a query gives it. */
interface Answer<T> {
  data: T | undefined;
  dataUpdatedAt: number;
}

const NONE: readonly JobSummary[] = [];

/**
 * The jobs of the list with their states as they are pushed. A job stays the same object until its own state
 * changes, so that a list is not drawn anew for one of them.
 */
export function useLiveJobs({ data, dataUpdatedAt }: Answer<{ results: JobSummary[] }>): JobSummary[] {
  const { slug } = useWorkspace();
  const states = useContext(RunStatesContext);
  const [merged] = useState(() => new Merged());
  const jobs = data?.results ?? NONE;
  const asked = dataUpdatedAt ? askedAt(keys.jobs(slug)) : 0;
  return useMemo(
    () =>
      jobs.flatMap((job) => {
        const state = states.get(job.id);
        return state?.deleted ? [] : [merged.of(job, newerThan(state, asked))];
      }),
    [merged, jobs, states, asked],
  );
}

/** @param dataUpdatedAt of the job's query */
export function useLiveJob(job: Job, dataUpdatedAt: number): Job {
  const { slug } = useWorkspace();
  const asked = dataUpdatedAt ? askedAt(keys.job(slug, job.id)) : 0;
  const state = newerThan(useContext(RunStatesContext).get(job.id), asked);
  return useMemo(() => withStatus(job, state), [job, state]);
}

/**
 * The states of runs, by job, that are newer than the map.
 *
 * @param dataUpdatedAt of the map's query
 */
export function useStatesOnMap(dataUpdatedAt: number): ReadonlyMap<string, RunState> {
  const { slug } = useWorkspace();
  const asked = dataUpdatedAt ? askedAt(keys.map(slug)) : 0;
  const states = useContext(RunStatesContext);
  return useMemo(
    () => new Map([...states].filter(([, state]) => newerThan(state, asked) !== undefined)),
    [states, asked],
  );
}

/** Whether somebody else has deleted the job. One who does it here is led away. */
export function useIsDeleted(id: string): boolean {
  const isDeletedHere = useIsMutating({ mutationKey: deletionKey(id) }) > 0;
  return useContext(RunStatesContext).get(id)?.deleted === true && !isDeletedHere;
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
