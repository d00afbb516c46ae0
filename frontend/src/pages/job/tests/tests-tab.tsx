import { Button, NativeSelect } from "@mantine/core";
import { lazy, Suspense } from "react";
import { ApiError } from "../../../api/client";
import { isLive, junitAddress, useCancelTestRun, useJobTests, useRunTests } from "../../../api/job-tests";
import type { Job, JobTestRun, JobTestSummary } from "../../../api/types";
import { useMay, useWorkspace } from "../../../api/workspace-context";
import { counted } from "../../../ui/format/numbers";
import { Icon } from "../../../ui/icons";
import { Panel } from "../../../ui/page";
import { Empty, Loading } from "../../../ui/placeholders";
import { QueryResult } from "../../../ui/query-result";
import { Badge } from "../../../ui/status";
import { useNow } from "../../../ui/time";
import { useUrlState } from "../../../ui/url-state";
import { OneTest } from "./one-test";
import classes from "./tests.module.css";

const LONG_WAIT_MS = 20_000;
const EditTest = lazy(() => import("./edit-test"));

/** The tests of a version, how they stand, and the ways to run, write and capture one. */
export function TestsTab({ job }: { job: Job }) {
  const [edit, setEdit] = useUrlState("edit", "");
  const mayEdit = useMay("edit");
  if (edit && mayEdit)
    return (
      <Suspense fallback={<Loading title="Loading editor…" />}>
        <EditTest
          key={edit}
          job={job}
          which={edit}
          onDone={() => {
            setEdit(null);
          }}
          onCreated={setEdit}
        />
      </Suspense>
    );
  return <TestList job={job} onEdit={setEdit} />;
}

function TestList({ job, onEdit }: { job: Job; onEdit: (which: string) => void }) {
  const [chosen, setChosen] = useUrlState("version", String(job.version));
  const version = Number(chosen) || job.version;
  const tests = useJobTests(job.id, version);
  const mayEdit = useMay("edit");
  const isNewest = version === job.version;
  const add = mayEdit && isNewest && (
    <>
      <Button
        variant="default"
        onClick={() => {
          onEdit("capture");
        }}
      >
        Capture from live records
      </Button>
      <Button
        variant="default"
        onClick={() => {
          onEdit("new");
        }}
        leftSection={<Icon name="plus" size={14} />}
      >
        Write a test
      </Button>
    </>
  );
  return (
    <QueryResult query={tests} what="tests">
      {({ results, run }) =>
        results.length === 0 && isNewest ? (
          <Panel>
            <Empty title="No tests yet" action={<span className={classes["group"]}>{add}</span>}>
              A test gives the job records and says which rows must come, with late records, silent sources
              and restarts where you want them. All tests run when you save a version, and before it starts.
            </Empty>
          </Panel>
        ) : (
          <>
            <div className={classes["bar"]}>
              <div className={classes["group"]}>
                <NativeSelect
                  aria-label="Version"
                  value={String(version)}
                  data={Array.from({ length: job.version }, (_, at) => job.version - at).map((number) => ({
                    value: String(number),
                    label: `Version ${String(number)}`,
                  }))}
                  onChange={(event) => {
                    setChosen(event.currentTarget.value);
                  }}
                />
                <Totals tests={results} />
              </div>
              <div className={classes["group"]}>
                {add}
                <RunButtons job={job} version={version} run={run} tests={results} />
              </div>
            </div>
            <RunLine run={run} version={version} />
            <Panel flush>
              {results.length ? (
                results.map((test) => (
                  <OneTest key={test.id} job={job} version={version} test={test} onEdit={onEdit} />
                ))
              ) : (
                <Empty title={`Version ${String(version)} has no tests`}>
                  Tests belong to the version they were written for, and to later ones.
                </Empty>
              )}
            </Panel>
          </>
        )
      }
    </QueryResult>
  );
}

function Totals({ tests }: { tests: readonly JobTestSummary[] }) {
  const passed = tests.filter(({ state }) => state === "passed").length;
  const red = tests.filter(({ state }) => state === "failed" || state === "error").length;
  if (!tests.length) return null;
  const tone = red ? "bad" : passed === tests.length ? "good" : "idle";
  return (
    <Badge tone={tone} plain>
      {red ? `${String(red)} of ${counted(tests.length, "test")} failed` : ""}
      {!red && `${String(passed)} of ${counted(tests.length, "test")} passed`}
    </Badge>
  );
}

function RunButtons({
  job,
  version,
  run,
  tests,
}: {
  job: Job;
  version: number;
  run: JobTestRun | null;
  tests: readonly JobTestSummary[];
}) {
  const { slug } = useWorkspace();
  const mayEdit = useMay("edit");
  const start = useRunTests(job.id, version);
  const cancel = useCancelTestRun(job.id);
  const live = isLive(run);
  const failure = start.error ?? cancel.error;
  return (
    <>
      {failure && (
        <span role="alert">
          <Badge tone="bad" plain>
            {failure instanceof ApiError ? failure.message : "Couldn't run the tests"}
          </Badge>
        </span>
      )}
      <Button variant="default" component="a" href={junitAddress(slug, job.id, version)} download>
        JUnit XML
      </Button>
      {mayEdit && live && run && (
        <Button
          variant="default"
          loading={cancel.isPending || run.canceling}
          onClick={() => {
            cancel.mutate(run.id);
          }}
          leftSection={<Icon name="stop" size={14} />}
        >
          Cancel
        </Button>
      )}
      {mayEdit && tests.length > 0 && (
        <Button
          loading={start.isPending}
          disabled={live}
          onClick={() => {
            start.mutate(null);
          }}
          leftSection={<Icon name="play" size={14} />}
        >
          Run all tests
        </Button>
      )}
    </>
  );
}

/** How far the newest run is; or why it did not come to its end. */
function RunLine({ run, version }: { run: JobTestRun | null; version: number }) {
  const now = useNow();
  if (!run || run.version !== version) return null;
  if (run.state === "queued") {
    const isLong = now - Date.parse(run.created_at) > LONG_WAIT_MS;
    return (
      <p role="status" className="soft">
        Waiting for the engine host…{" "}
        {isLong &&
          "It runs one set of tests at a time; if nothing happens, its worker may be down. Jobs run on."}
      </p>
    );
  }
  if (run.state === "preparing")
    return (
      <p role="status" className="soft">
        Preparing {counted(run.total, "test")}…
      </p>
    );
  if (run.state === "running")
    return (
      <p role="status" className="soft">
        {run.done} of {counted(run.total, "test")} done
      </p>
    );
  if (run.state === "canceled") return <p className="soft">The last run was canceled.</p>;
  if (run.state === "failed")
    return (
      <p role="alert">
        <Badge tone="bad" plain>
          {run.message || "The last run failed."}
        </Badge>
      </p>
    );
  return null;
}
