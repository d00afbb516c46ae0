import { Button, Select, TextInput } from "@mantine/core";
import { Link } from "wouter";
import { useLiveJobs } from "../../api/live-jobs";
import { useJobs } from "../../api/jobs";
import type { JobSummary } from "../../api/types";
import { useMay } from "../../api/workspace-context";
import { useUrlState } from "../../ui/url-state";
import { counted } from "../../ui/format/numbers";
import { Icon } from "../../ui/icons";
import { QueryResult } from "../../ui/query-result";
import { Page, Panel } from "../../ui/page";
import { Empty } from "../../ui/placeholders";
import { stateStyle } from "../../ui/status";
import { JobsTable } from "./jobs-table";
import classes from "./jobs.module.css";

export function JobsPage() {
  const query = useJobs();
  const jobs = useLiveJobs(query);
  const mayEdit = useMay("edit");
  const create = (
    <Button component={Link} href="/jobs/new" leftSection={<Icon name="plus" size={14} />}>
      New job
    </Button>
  );
  return (
    <Page title="Jobs" actions={mayEdit ? create : undefined}>
      <QueryResult query={query} what="jobs">
        {() =>
          jobs.length ? (
            <FilteredJobs jobs={jobs} />
          ) : (
            <Panel>
              <Empty title="No jobs yet" action={mayEdit ? create : undefined}>
                A job filters, joins and aggregates streams and shows live results. Start with an example; it
                includes sample data.
              </Empty>
            </Panel>
          )
        }
      </QueryResult>
    </Page>
  );
}

function FilteredJobs({ jobs }: { jobs: readonly JobSummary[] }) {
  const [name, setName] = useUrlState("name", "");
  const [state, setState] = useUrlState("state", "");
  const states = [...new Set(jobs.map(({ observed }) => observed))];
  const shown = jobs.filter(
    (job) => job.name.toLowerCase().includes(name.toLowerCase()) && (!state || job.observed === state),
  );
  return (
    <>
      <div className={classes["filters"]}>
        <TextInput
          aria-label="Filter by name"
          placeholder="Filter by name"
          value={name}
          onChange={(e) => {
            setName(e.currentTarget.value || null);
          }}
        />
        <Select
          aria-label="Filter by status"
          placeholder="Any status"
          clearable
          data={states.map((one) => ({ value: one, label: stateStyle(one).word }))}
          value={state || null}
          onChange={setState}
        />
        <span className="soft">
          {shown.length === jobs.length
            ? counted(jobs.length, "job")
            : `${String(shown.length)} of ${counted(jobs.length, "job")}`}
        </span>
      </div>
      <Panel flush>
        {shown.length ? (
          <JobsTable jobs={shown} />
        ) : (
          <Empty
            title="No matching jobs"
            action={
              <Button
                variant="default"
                onClick={() => {
                  setName(null);
                  setState(null);
                }}
              >
                Clear filters
              </Button>
            }
          />
        )}
      </Panel>
    </>
  );
}
