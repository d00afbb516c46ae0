import { Button } from "@mantine/core";
import { useState } from "react";
import { useDeleteTest, useRunTests } from "../../../api/job-tests";
import type { Job, JobTestSummary } from "../../../api/types";
import { useMay } from "../../../api/workspace-context";
import { Confirm } from "../../../ui/confirm";
import { duration } from "../../../ui/format/durations";
import { counted } from "../../../ui/format/numbers";
import { RequestError } from "../../../ui/request-error";
import { Time } from "../../../ui/time";
import { Differences } from "./differences";
import { TestState } from "./test-state";
import classes from "./tests.module.css";

interface OneTestProps {
  job: Job;
  version: number;
  test: JobTestSummary;
  onEdit: (which: string) => void;
}

/** A test, how it stands, and its differences. */
export function OneTest({ job, version, test, onEdit }: OneTestProps) {
  const run = useRunTests(job.id, version);
  const mayEdit = useMay("edit");
  const isEditable = mayEdit && version === job.version;
  const isRed = test.state === "failed" || test.state === "error";
  return (
    <article className={classes["test"]}>
      <div className={classes["testHead"]}>
        <strong>{test.name}</strong>
        <TestState state={test.state} />
        <span className="soft">
          {counted(test.batches, "batch", "batches")}
          {test.result && ` · ${duration(test.result.elapsed_ms)}`}
          {test.finished_at && (
            <>
              {" · "}
              <Time at={test.finished_at} />
            </>
          )}
        </span>
        <span className={classes["right"]}>
          {mayEdit && (
            <Button
              size="xs"
              variant="default"
              aria-label={`Run ${test.name}`}
              loading={run.isPending}
              onClick={() => {
                run.mutate([test.id]);
              }}
            >
              Run
            </Button>
          )}
          {isEditable && (
            <>
              <Button
                size="xs"
                variant="default"
                aria-label={`Edit ${test.name}`}
                onClick={() => {
                  onEdit(test.id);
                }}
              >
                Edit
              </Button>
              <DeleteTest job={job} test={test} />
            </>
          )}
        </span>
      </div>
      <RequestError what="Couldn't run the test" error={run.error} />
      {test.description && <p className="soft">{test.description}</p>}
      {test.state === "outdated" && (
        <p className="soft">The test, the document or a contract has changed since. Run it again.</p>
      )}
      {test.result && isRed && <Differences outcome={test.result} />}
    </article>
  );
}

function DeleteTest({ job, test }: { job: Job; test: JobTestSummary }) {
  const remove = useDeleteTest(job.id);
  const [asking, setAsking] = useState(false);
  const close = () => {
    setAsking(false);
  };
  return (
    <>
      <Button
        data-removes
        size="xs"
        variant="default"
        aria-label={`Delete ${test.name}`}
        onClick={() => {
          setAsking(true);
        }}
      >
        Delete
      </Button>
      <Confirm
        opened={asking}
        onClose={close}
        title={`Delete test ${test.name}?`}
        verb="Delete test"
        busy={remove.isPending}
        error={remove.error}
        onConfirm={() => {
          remove.mutate(test.id, { onSuccess: close });
        }}
      >
        <p>
          {test.first_version < job.version
            ? `Versions before version ${String(job.version)} keep it with their results.`
            : "Its results go, too. This can't be undone."}
        </p>
      </Confirm>
    </>
  );
}
