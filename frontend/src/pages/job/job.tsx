import type { ReactNode } from "react";
import { useLiveJob } from "../../api/live-jobs";
import { useJob } from "../../api/jobs";
import type { Job } from "../../api/types";
import { QueryPage } from "../../ui/query-result";
import { Page, Tabs } from "../../ui/page";
import { bodyOf, JOB_TABS, type Bodies } from "../../ui/shell/pages";
import { StateBadge } from "../../ui/status";
import { NotFoundPage } from "../not-found";
import { JobAlerts } from "../alerts/job-alerts";
import { DocumentTab } from "./document/document-tab";
import { GraphTab } from "./graph/graph-tab";
import { CatchingUpPanel } from "./header/catching-up";
import { FailurePanel } from "./header/failure";
import { JobActions } from "./header/actions";
import { JobInfo } from "./header/job-summary";
import { MalformedLine } from "./header/malformed-line";
import { NewerVersion } from "./header/newer-version";
import { SkippingPanel } from "./header/skipping";
import { LagTab } from "./lag/lag-tab";
import { LiveTab } from "./live/live-tab";
import { LogsTab } from "./logs/logs-tab";
import { ProblemsTab } from "./problems-tab";
import { RunsTab } from "./runs/runs-tab";
import { TestsTab } from "./tests/tests-tab";
import { VersionsTab } from "./versions/versions-tab";

const BODIES: Bodies<typeof JOB_TABS, (job: Job) => ReactNode> = {
  "": (job) => <LiveTab job={job} />,
  graph: (job) => <GraphTab job={job} />,
  lag: (job) => <LagTab job={job} />,
  runs: (job) => <RunsTab jobId={job.id} />,
  logs: (job) => <LogsTab key={job.id} job={job} />,
  versions: (job) => <VersionsTab job={job} />,
  tests: (job) => <TestsTab job={job} />,
  document: (job) => <DocumentTab job={job} />,
  problems: (job) => <ProblemsTab job={job} />,
};

export function JobPage({ id, tab }: { id: string; tab: string }) {
  const query = useJob(id);
  return (
    <QueryPage query={query} what="job">
      {(job) => <OneJob job={job} tab={tab} />}
    </QueryPage>
  );
}

function OneJob({ job: stored, tab }: { job: Job; tab: string }) {
  const job = useLiveJob(stored);
  const body = bodyOf(BODIES, tab);
  if (!body) return <NotFoundPage />;
  return (
    <Page
      title={job.name}
      parent={{ label: "Jobs", href: "/jobs" }}
      aside={<StateBadge state={job.observed} overload={job.overload} />}
      actions={<JobActions job={job} />}
    >
      <JobInfo job={job} />
      <NewerVersion job={job} />
      {job.skipping.map((skipping) => (
        <SkippingPanel key={skipping.source} skipping={skipping} />
      ))}
      {job.catching_up && <CatchingUpPanel at={job.catching_up} />}
      <MalformedLine job={job} />
      <JobAlerts jobId={job.id} />
      {job.failure && (
        <FailurePanel
          failure={job.failure}
          since={job.observed_since}
          retryAt={job.retry_at}
          waits={job.observed === "queued"}
        />
      )}
      <Tabs base={`/jobs/${job.id}`} tabs={JOB_TABS} label="Job sections" />
      {body(job)}
    </Page>
  );
}
