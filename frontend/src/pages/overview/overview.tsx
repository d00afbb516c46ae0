import { Button } from "@mantine/core";
import { Link } from "wouter";
import { useJobs } from "../../api/jobs";
import { useLiveJobs } from "../../api/job-facts";
import { useMay } from "../../api/workspace";
import { useOverview } from "../../api/workspaces";
import type { Overview } from "../../api/types";
import { count, rate } from "../../ui/format/numbers";
import { seconds } from "../../ui/format/durations";
import { Fact, Facts } from "../../ui/facts";
import { Icon } from "../../ui/icons";
import { Loaded } from "../../ui/loaded";
import { Page, Panel } from "../../ui/page";
import { Empty } from "../../ui/states";
import { Mark } from "../../ui/status";
import { JobsTable } from "../jobs/jobs-table";
import { Attention } from "./attention";
import { Events } from "./events";
import { Machines } from "./machines";
import classes from "./overview.module.css";

export function OverviewPage() {
  const overview = useOverview();
  const mayEdit = useMay("editor");
  const create = (
    <Button component={Link} href="/jobs/new" leftSection={<Icon name="plus" size={14} />}>New job</Button>
  );
  return (
    <Page title="Overview" actions={mayEdit ? create : undefined}>
      <Loaded query={overview} what="the overview">{(facts) => <Body facts={facts} />}</Loaded>
    </Page>
  );
}

function Body({ facts }: { facts: Overview }) {
  const { jobs } = facts;
  return (
    <>
      <Facts>
        <Fact label="Jobs running" note={parts(jobs)}>{count(jobs.running)} of {count(jobs.total)}</Fact>
        <Fact label="Throughput" note="input of all running jobs">{rate(facts.rows_per_second)}</Fact>
        <Fact label="Largest lag" note="of any running job">{seconds(facts.max_lag_seconds)}</Fact>
        <Fact label="Kafka" note={facts.broker.reachable === false ? "jobs wait until it is back" : "home cluster"}>
          <BrokerMark reachable={facts.broker.reachable} />
        </Fact>
      </Facts>
      {facts.attention.length > 0 && <Attention rows={facts.attention} />}
      <RunningJobs />
      <div className={classes["columns"]}>
        <Panel title="Recent events" flush><Events events={facts.events} /></Panel>
        <Panel title="Engines and broker" flush><Machines engines={facts.engines} broker={facts.broker} /></Panel>
      </div>
    </>
  );
}

function parts({ failed, waiting, stopped }: Overview["jobs"]): string {
  const words = [failed && `${String(failed)} failed`, waiting && `${String(waiting)} waiting`, stopped && `${String(stopped)} stopped`];
  return words.filter(Boolean).join(" · ") || "none failed or waiting";
}

export function BrokerMark({ reachable }: { reachable: boolean | null }) {
  if (reachable === null) return <Mark tone="warn" plain>Not asked yet</Mark>;
  return reachable ? <Mark tone="good" plain>Reachable</Mark> : <Mark tone="bad" plain>Not reachable</Mark>;
}

function RunningJobs() {
  const jobs = useJobs();
  const live = useLiveJobs(jobs.data?.results ?? []);
  return (
    <Panel title="Jobs" aside={<Link href="/jobs">All jobs</Link>} flush>
      <Loaded query={jobs} what="the jobs">
        {() =>
          live.length ? (
            <JobsTable jobs={live.slice(0, 8)} />
          ) : (
            <Empty title="No jobs yet" action={<Button component={Link} href="/jobs/new">New job</Button>}>
              A job reads one or more streams, computes something, and shows its results here while they change. Begin with an example.
            </Empty>
          )
        }
      </Loaded>
    </Panel>
  );
}
