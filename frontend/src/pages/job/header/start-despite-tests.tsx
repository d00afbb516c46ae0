import type { RefObject } from "react";
import { Link } from "wouter";
import { ApiError } from "../../../api/client";
import type { useStartJob } from "../../../api/jobs";
import type { Job } from "../../../api/types";
import { Confirm } from "../../../ui/confirm";
import { Badge } from "../../../ui/status";

type Start = ReturnType<typeof useStartJob>;

const BY_TESTS = ["TESTS_FAILED", "TESTS_PENDING"];

function isByTests(error: unknown): error is ApiError {
  return error instanceof ApiError && BY_TESTS.includes(error.code ?? "");
}

/** Why a start failed; where tests refuse it, a question whether to start anyway. */
export function StartProblem({
  job,
  start,
  verb,
  opener,
}: {
  job: Job;
  start: Start;
  verb: string;
  /** gets the focus when the question is closed: while it starts, a button is disabled and loses it */
  opener: RefObject<HTMLElement | null>;
}) {
  const { error, variables } = start;
  if (!error) return null;
  if (!isByTests(error) || !variables)
    return (
      <Badge tone="bad" plain>
        {error instanceof ApiError ? error.message : "Couldn't start the job"}
      </Badge>
    );
  const isPending = error.code === "TESTS_PENDING";
  return (
    <Confirm
      opened
      title={isPending ? "Tests haven't run yet" : "Tests failed"}
      verb={`${verb} anyway`}
      danger={!isPending}
      onClose={() => {
        start.reset();
        opener.current?.focus();
      }}
      onConfirm={() => {
        start.mutate({ ...variables, despite_failed_tests: true });
      }}
    >
      <p>{error.detail}</p>
      <p>
        <Link href={`/jobs/${job.id}/tests`} onClick={start.reset}>
          Open the tests
        </Link>
      </p>
    </Confirm>
  );
}
