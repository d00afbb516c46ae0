import { MantineProvider } from "@mantine/core";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import type { Job } from "../../../api/types";
import { ResultStore, type ResultView } from "../../../live/result-store";
import { noticeOf, staleOf } from "../../dashboard/panel-notice";
import { stateStyle } from "../../../ui/status";
import { placeholderOf } from "./no-rows";

const VIEW = new ResultStore().view;
const JOB = { observed_since: null } as Job;

function said(state: Job["observed"], part: Partial<ResultView>): string {
  const view = { ...VIEW, ...part };
  return renderToStaticMarkup(<MantineProvider>{placeholderOf(state, JOB, view)}</MantineProvider>);
}

describe("a result without a row", () => {
  it("is loading, not empty, until it was read", () => {
    for (const state of ["stopped", "failed", "running", "unknown"] as const)
      for (const phase of ["waiting", "loading"] as const)
        expect(said(state, { phase })).toContain("Loading results");
  });

  it("is empty once it was read", () => {
    expect(said("stopped", { phase: "live" })).toContain("none came, or they were deleted or have expired");
    expect(said("failed", { phase: "live" })).toContain("See the error above");
    expect(said("failed", { phase: "waiting", error: "No such topic." })).toContain("See the error above");
  });
});

describe("a panel", () => {
  it("says that its rows are old where the result can't be read any more", () => {
    const status = { op: "status", id: 1, desired: "running", observed: "running", last_seen_us: 1 } as const;
    expect(staleOf({ error: null, status })).toBeNull();
    expect(staleOf({ error: "Job not found.", status })?.word).toBe("Result not available");
    expect(staleOf({ error: null, status: { ...status, observed: "unknown" } })?.word).toBe("No updates");
    expect(noticeOf({ ...VIEW, error: "Job not found." })?.title).toBe("Result not available");
  });

  it("says in which state a job without rows is, also where its page can't be opened", () => {
    const notice = (observed: Job["observed"]) => {
      const status = { op: "status", id: 1, desired: "running", observed, last_seen_us: 1 } as const;
      return noticeOf({ ...VIEW, phase: "live", status });
    };
    expect(notice("running")?.children).toContain("The job runs");
    expect(notice("waiting")?.title).toBe("No rows yet: waiting for Kafka");
    for (const observed of ["queued", "starting", "replaying", "waiting", "stopping", "unknown"] as const)
      expect(notice(observed)?.children).toBe(stateStyle(observed).means);
  });

  it("doesn't claim that there never were rows, because they may have expired", () => {
    for (const observed of ["stopped", "failed"] as const) {
      const status = { op: "status", id: 1, desired: "stopped", observed, last_seen_us: 1 } as const;
      expect(noticeOf({ ...VIEW, phase: "live", status })?.children).toMatch(/^No rows are stored\./);
    }
  });
});
