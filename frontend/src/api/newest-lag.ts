/** The lag of a job: what is stored, or what was pushed where that is newer. */

import type { LagFrame } from "../live/frames";
import { useLag } from "./jobs";
import { useLiveLag } from "./live";
import type { JobLag } from "./types";

/** The stored answer, and the frame that is newer: none where the live connection is lost. */
export function useNewestLag(jobId: string) {
  const query = useLag(jobId);
  const frame = newerFrame(query.data, useLiveLag(jobId));
  return { query, frame };
}

export function newerFrame(stored: Pick<JobLag, "at"> | undefined, frame: LagFrame | null): LagFrame | null {
  if (!frame || !stored?.at) return frame;
  return frame.at_us / 1000 >= Date.parse(stored.at) ? frame : null;
}

/** What is stored, with what was pushed since. */
export function withFrame(stored: JobLag, frame: LagFrame | null): JobLag {
  if (!frame) return stored;
  const { sources, given = {}, steps = {}, watermark_us, at_us } = frame;
  return { ...stored, at: new Date(at_us / 1000).toISOString(), sources, given, steps, watermark_us };
}

const FRESH_MS = 30_000;

/** False for numbers that nobody renews, as of a stopped job. */
export function isFresh({ at }: Pick<JobLag, "at">, now: number): boolean {
  return at !== null && now - Date.parse(at) < FRESH_MS;
}
