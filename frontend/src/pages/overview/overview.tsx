import { Button } from "@mantine/core";
import { Link } from "wouter";
import { useJobs } from "../../api/jobs";
import { useLiveJobs } from "../../api/live-jobs";
import { useMay } from "../../api/workspace-context";
import { useOverview } from "../../api/workspaces";
import type { Overview } from "../../api/types";
import { count, counted, rate } from "../../ui/format/numbers";
import { seconds } from "../../ui/format/durations";
import { BrokerBadge } from "../../ui/broker-badge";
import { DescriptionItem, DescriptionList } from "../../ui/description-list";
import { Icon } from "../../ui/icons";
import { QueryResult } from "../../ui/query-result";
import { Page, Panel } from "../../ui/page";
import { Empty } from "../../ui/placeholders";
import { JobsTable } from "../jobs/jobs-table";
import { Attention } from "./attention";
import { Events } from "./events";
import { Infrastructure } from "./infrastructure";
import { byUrgency } from "./urgency";
import classes from "./overview.module.css";

export function OverviewPage() {
  const overview = useOverview();
  const mayEdit = useMay("edit");
  const create = (
    <Button component={Link} href="/jobs/new" leftSection={<Icon name="plus" size={14} />}>
      New job
    </Button>
  );
  return (
    <Page title="Overview" actions={mayEdit ? create : undefined}>
      <QueryResult query={overview} what="overview">
        {(facts) => <Body facts={facts} />}
      </QueryResult>
    </Page>
  );
}

function Body({ facts }: { facts: Overview }) {
  const { jobs } = facts;
  return (
    <>
      <DescriptionList>
        <DescriptionItem label="Jobs running" note={parts(jobs)}>
          {count(jobs.running)} of {count(jobs.total)}
        </DescriptionItem>
        <DescriptionItem label="Input rate" note={withoutNote(facts.unmeasured_jobs, "not measured yet")}>
          {rate(facts.rows_per_second, "records")}
        </DescriptionItem>
        <DescriptionItem
          label="Max consumer lag"
          note={withoutNote(facts.unmeasured_lags, "whose exact lag isn't known")}
        >
          {seconds(facts.max_lag_seconds)}
        </DescriptionItem>
        <DescriptionItem
          label="Kafka"
          note={facts.broker.reachable === false ? "Jobs resume when it's back" : "Home cluster"}
        >
          <BrokerBadge reachable={facts.broker.reachable} />
        </DescriptionItem>
      </DescriptionList>
      {facts.attention.length > 0 && <Attention rows={facts.attention} />}
      <RunningJobs />
      <div className={classes["columns"]}>
        <Panel title="Recent events" flush>
          <Events events={facts.events} />
        </Panel>
        <Panel title="Engines and Kafka" flush>
          <Infrastructure engines={facts.engines} broker={facts.broker} />
        </Panel>
      </div>
    </>
  );
}

function withoutNote(jobs: number, why: string): string {
  return jobs ? `Without ${counted(jobs, "job")} ${why}` : "All running jobs";
}

function parts({ failed, waiting, stopped }: Overview["jobs"]): string {
  const words = [
    failed && `${String(failed)} failed`,
    waiting && `${String(waiting)} waiting`,
    stopped && `${String(stopped)} stopped`,
  ];
  return words.filter(Boolean).join(" · ") || "No failed or waiting jobs";
}

function RunningJobs() {
  const jobs = useJobs();
  const mayEdit = useMay("edit");
  const live = useLiveJobs(jobs);
  return (
    <Panel title="Jobs" aside={<Link href="/jobs">All jobs</Link>} flush>
      <QueryResult query={jobs} what="jobs">
        {() =>
          live.length ? (
            <JobsTable jobs={byUrgency(live).slice(0, 8)} />
          ) : (
            <Empty
              title="No jobs yet"
              action={
                mayEdit && (
                  <Button component={Link} href="/jobs/new">
                    New job
                  </Button>
                )
              }
            >
              A job filters, joins and aggregates streams and shows live results. Start with an example; it
              includes sample data.
            </Empty>
          )
        }
      </QueryResult>
    </Panel>
  );
}
