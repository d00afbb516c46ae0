import type { ReactNode } from "react";
import { useLiveJob } from "../../api/job-facts";
import { useJob } from "../../api/jobs";
import type { Job } from "../../api/types";
import { useMay } from "../../api/workspace";
import { LoadedPage } from "../../ui/loaded";
import { Page, Tabs } from "../../ui/page";
import { StateMark } from "../../ui/status";
import { NotFoundPage } from "../not-found";
import { DocumentTab } from "./document/document-tab";
import { FailurePanel } from "./header/failure";
import { JobActions } from "./header/actions";
import { JobFacts } from "./header/job-facts";
import { SkippingPanel } from "./header/skipping";
import { LagTab } from "./lag/lag-tab";
import { LiveTab } from "./live/live-tab";
import { ProblemsTab } from "./problems-tab";
import { RunsTab } from "./runs-tab";
import { VersionsTab } from "./versions-tab";

const TABS = [
  { path: "", label: "Live" },
  { path: "lag", label: "Lag" },
  { path: "runs", label: "Runs" },
  { path: "versions", label: "Versions" },
  { path: "document", label: "Document" },
  { path: "problems", label: "Problems" },
] as const;

const BODIES: Readonly<Record<string, (job: Job) => ReactNode>> = {
  "": (job) => <LiveTab job={job} />,
  lag: (job) => <LagTab job={job} />,
  runs: (job) => <RunsTab jobId={job.id} />,
  versions: (job) => <VersionsTab job={job} />,
  document: (job) => <DocumentTab job={job} />,
  problems: (job) => <ProblemsTab job={job} />,
};

export function JobPage({ id, tab }: { id: string; tab: string }) {
  const query = useJob(id);
  return <LoadedPage query={query} what="job">{(job) => <OneJob job={job} tab={tab} />}</LoadedPage>;
}

function OneJob({ job: stored, tab }: { job: Job; tab: string }) {
  const job = useLiveJob(stored);
  const mayEdit = useMay("editor");
  const body = BODIES[tab];
  if (!body) return <NotFoundPage what={`a tab “${tab}” of a job`} />;
  return (
    <Page
      title={job.name}
      parent={{ label: "Jobs", href: "/jobs" }}
      aside={<StateMark state={job.observed} />}
      actions={mayEdit ? <JobActions job={job} /> : undefined}
    >
      <JobFacts job={job} />
      {job.skipping.map((skipping) => <SkippingPanel key={skipping.source} skipping={skipping} />)}
      {job.failure && <FailurePanel failure={job.failure} since={job.observed_since} retryAt={job.retry_at} />}
      <Tabs base={`/jobs/${job.id}`} tabs={TABS} label="Parts of the job" />
      {body(job)}
    </Page>
  );
}
