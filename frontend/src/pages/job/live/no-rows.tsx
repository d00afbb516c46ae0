import { useCheck, useVersions } from "../../../api/documents";
import { useLag } from "../../../api/jobs";
import type { Job } from "../../../api/types";
import type { ResultView } from "../../../live/result-store";
import { Empty, Loading } from "../../../ui/placeholders";
import { Ago } from "../../../ui/time";
import { noRowsText } from "./no-rows-text";

/** Why there is no row, from facts. */
export function NoRows({ job, view }: { job: Job; view: ResultView }) {
  const state = view.status?.observed ?? job.observed;
  if (state === "never_started")
    return <Empty title="Not started yet">Start the job to see live results here.</Empty>;
  if (state === "stopped")
    return <Empty title="No results yet">This generation produced no rows. Start or resume the job.</Empty>;
  if (state === "failed") return <Empty title="No results yet">See the error above.</Empty>;
  if (view.phase !== "live") return <Loading title="Loading results…" />;
  const since = <Ago at={job.observed_since} />;
  if (state === "starting")
    return (
      <Loading title="Starting the query">
        Since {since}. Takes ~1 s on a warm engine, ~10 s on a new one.
      </Loading>
    );
  if (state === "waiting")
    return <Loading title="Waiting for Kafka">Since {since}. The job resumes automatically.</Loading>;
  if (state === "replaying")
    return (
      <Loading title="Replaying from the last checkpoint">
        Since {since}. Live results are paused until the job catches up.
      </Loading>
    );
  if (state === "unknown")
    return (
      <Loading title="No engine heartbeat">
        Last seen <Ago at={job.last_seen_at} />. No results were written before.
      </Loading>
    );
  return <RunningWithoutRows job={job} />;
}

function RunningWithoutRows({ job }: { job: Job }) {
  const lag = useLag(job.id);
  const versions = useVersions(job.id);
  const running = versions.data?.results.find(({ number }) => number === job.running_version);
  const check = useCheck(running?.document_text ?? "");
  return (
    <Loading title="Running, no results yet">
      {noRowsText(job, lag.data?.counts, check.data?.document)}
    </Loading>
  );
}
