import { Button } from "@mantine/core";
import { isLive } from "../../../api/job-tests";
import type { JobTestRun } from "../../../api/types";
import { Panel } from "../../../ui/page";
import { RequestError } from "../../../ui/request-error";
import { Badge } from "../../../ui/status";
import { Differences } from "./differences";
import { RowsByBatch } from "./rows-by-batch";

interface DraftOutcomeProps {
  run: JobTestRun;
  /** what was run is still what is written */
  isCurrent: boolean;
  /** it was removed to make room for later runs, so nothing is known of it any more */
  isGone: boolean;
  isCanceling: boolean;
  cancelError: unknown;
  onCancel: () => void;
  onAccept: (expect: unknown) => void;
}

/** What an unsaved test gave, and, until it is changed, the way to expect it from now on. */
export function DraftOutcome({
  run,
  isCurrent,
  isGone,
  isCanceling,
  cancelError,
  onCancel,
  onAccept,
}: DraftOutcomeProps) {
  const outcome = run.outcome;
  const isRunning = isLive(run) && !isGone;
  return (
    <Panel
      title={isCurrent ? "Result of this draft" : "Result before your last change"}
      aside={
        isRunning && (
          <Button size="xs" variant="default" loading={isCanceling || run.canceling} onClick={onCancel}>
            Cancel
          </Button>
        )
      }
    >
      <RequestError what="Couldn't cancel the run" error={cancelError} />
      {isLive(run) && isGone && (
        <p role="alert">This run was removed to make room for later ones. Run the test again.</p>
      )}
      {isRunning && (
        <p role="status" className="soft">
          {run.state === "queued" && "Waiting for the engine host…"}
          {run.state === "preparing" && "Preparing…"}
          {run.state === "running" && "Running on Spark…"}
        </p>
      )}
      {run.state === "canceled" && <p className="soft">Canceled.</p>}
      {run.state === "failed" && <p role="alert">{run.message || "The run failed."}</p>}
      {outcome && (
        <div aria-live="polite">
          <Badge tone={outcome.result.status === "passed" ? "good" : "bad"} plain>
            {outcome.result.status === "passed" ? "Passed" : "Not as expected"}
          </Badge>
          <Differences outcome={outcome.result} />
          {outcome.message && <p className="soft">{outcome.message}</p>}
          <RowsByBatch batches={outcome.batches ?? []} />
          {isCurrent && outcome.expect !== null && outcome.expect !== undefined && (
            <Button
              size="xs"
              variant="default"
              onClick={() => {
                onAccept(outcome.expect);
              }}
            >
              Accept rows as expected
            </Button>
          )}
        </div>
      )}
    </Panel>
  );
}
