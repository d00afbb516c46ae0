import { Loader } from "@mantine/core";
import { useContext, type ReactNode } from "react";
import { Link } from "wouter";
import { useDiagnosis } from "../../api/jobs";
import type { Observed } from "../../api/types";
import { WorkspaceContext } from "../../api/workspace-context";
import type { ResultView } from "../../live/result-store";
import { RequestError } from "../../ui/request-error";
import { stateStyle, type Tone } from "../../ui/status";
import classes from "./panel.module.css";

interface Notice {
  title: string;
  waiting?: boolean;
  /** the job should give rows and gives none: members see the cause */
  unexplained?: boolean;
  /** members see the cause on the job's page */
  failed?: boolean;
  children?: ReactNode;
}

/** Why a panel of a job shows nothing. A read-only link shows no causes: they name streams and steps. */
export function JobNotice({ job, notice }: { job: string; notice: Notice }) {
  const workspace = useContext(WorkspaceContext);
  if (!workspace) return <PanelNotice {...notice} />;
  if (notice.unexplained) return <CauseNotice job={job} />;
  return (
    <PanelNotice {...notice}>
      {notice.children} {notice.failed && <Link href={`/jobs/${job}`}>Open the job for the cause</Link>}
    </PanelNotice>
  );
}

function CauseNotice({ job }: { job: string }) {
  const { data, error } = useDiagnosis(job, { key: "", output: "" });
  if (!data && error)
    return (
      <PanelNotice title="No rows yet">
        <RequestError what="Couldn't load the cause" error={error} />
        <Link href={`/jobs/${job}`}>Open the job</Link>
      </PanelNotice>
    );
  if (!data) return <PanelNotice title="No rows yet" waiting />;
  const { cause } = data;
  return (
    <PanelNotice title={`No rows yet: ${cause.title}`} waiting={cause.waits}>
      {cause.text} <Link href={`/jobs/${job}`}>Open the job</Link>
    </PanelNotice>
  );
}

/** Why a panel has nothing to show; null when rows may be drawn. */
export function noticeOf(view: ResultView): Notice | null {
  if (view.error) return { title: "Result not available", children: view.error };
  const state = view.status?.observed;
  if (state === "never_started")
    return { title: "Job not started", children: "Rows appear here once the job runs." };
  if (view.phase !== "live") return { title: "Loading rows…", waiting: true };
  if (state === "failed") return { title: "Job failed", failed: true, children: "No rows are stored." };
  if (state === "stopped") return { title: "Job stopped", children: "No rows are stored." };
  const { word, means } = stateStyle(state ?? "running");
  const runs = state === undefined || state === "running";
  return {
    title: runs ? "No rows yet" : `No rows yet: ${word.charAt(0).toLowerCase()}${word.slice(1)}`,
    waiting: true,
    unexplained: true,
    children: runs ? "The job runs; its first row appears here." : means,
  };
}

const STALE: Readonly<Partial<Record<Observed, { word: string; tone: Tone }>>> = {
  stopped: { word: "Job stopped", tone: "idle" },
  failed: { word: "Job failed", tone: "bad" },
  replaying: { word: "Replaying, updates paused", tone: "warn" },
};

/** Why no newer rows come than those that are shown; null where they do. */
export function staleOf({
  error,
  status,
}: Pick<ResultView, "error" | "status">): { word: string; tone: Tone } | null {
  if (error) return { word: "Result not available", tone: "bad" };
  const state = status?.observed;
  if (!state || state === "running" || state === "starting") return null;
  return STALE[state] ?? { word: "No updates", tone: "warn" };
}

/** A short text in the middle of a panel. */
export function PanelNotice({ title, waiting = false, children }: Notice) {
  return (
    <div className={classes["notice"]} role={waiting ? "status" : undefined}>
      <p>
        {waiting && <Loader size={12} aria-hidden />} <strong>{title}</strong>
      </p>
      {children && <p className="soft">{children}</p>}
    </div>
  );
}
