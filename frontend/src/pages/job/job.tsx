import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { useIsDeleted, useLiveJob } from "../../api/live-jobs";
import { useJob } from "../../api/jobs";
import type { Job } from "../../api/types";
import { QueryPage } from "../../ui/query-result";
import { Page, Panel, Tabs } from "../../ui/page";
import { Empty } from "../../ui/placeholders";
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
  const isDeleted = useIsDeleted(id);
  return (
    <QueryPage query={query} what="job">
      {(job) =>
        isDeleted ? (
          <Deleted name={job.name} />
        ) : (
          <OneJob job={job} updatedAt={query.dataUpdatedAt} tab={tab} />
        )
      }
    </QueryPage>
  );
}

function Deleted({ name }: { name: string }) {
  return (
    <Page title={name} parent={{ label: "Jobs", href: "/jobs" }}>
      <Panel>
        <Empty
          title="Job deleted"
          action={
            <Button component={Link} href="/jobs" variant="default">
              Go to jobs
            </Button>
          }
        >
          Its versions, saved state and results are gone. Source streams aren&apos;t affected.
        </Empty>
      </Panel>
    </Page>
  );
}

function OneJob({ job: stored, updatedAt, tab }: { job: Job; updatedAt: number; tab: string }) {
  const job = useLiveJob(stored, updatedAt);
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
