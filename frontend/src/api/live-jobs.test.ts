import { describe, expect, it } from "vitest";
import type { StatusFrame } from "../live/frames";
import { Merged, withStatus } from "./live-jobs";
import type { JobSummary } from "./types";

const JOB = {
  id: "j1",
  desired: "running",
  observed: "running",
  last_seen_at: null,
  lag: { records: 5, seconds: 1 },
} as unknown as JobSummary;

function frame(part: Partial<StatusFrame>): StatusFrame {
  return { op: "status", id: 1, desired: "running", last_seen_us: null, ...part };
}

describe("a job with what was pushed since", () => {
  it("has no lag where none is known any more", () => {
    expect(withStatus(JOB, frame({ lag: null })).lag).toBeNull();
    expect(withStatus(JOB, frame({})).lag).toEqual({ records: 5, seconds: 1 });
  });

  it("keeps what was wanted of it where that isn't told, and all of one that was deleted", () => {
    expect(withStatus(JOB, { op: "status", id: 1, observed: "starting" })).toMatchObject({
      desired: "running",
      observed: "starting",
    });
    expect(withStatus(JOB, { op: "status", id: 1, deleted: true })).toBe(JOB);
  });

  it("stays the same object until its own state changes", () => {
    const merged = new Merged();
    const first = frame({ observed: "running" });
    const before = merged.of(JOB, first);
    expect(merged.of(JOB, first)).toBe(before);
    expect(merged.of(JOB, frame({ observed: "failed" }))).toMatchObject({ observed: "failed" });
    expect(merged.of(JOB, undefined)).toBe(JOB);
  });
});
