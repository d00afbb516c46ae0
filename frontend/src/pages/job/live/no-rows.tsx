import type { Job } from "../../../api/types";
import type { ResultView } from "../../../live/result-store";
import { Panel } from "../../../ui/page";
import { Empty, Loading } from "../../../ui/placeholders";
import { Ago } from "../../../ui/time";
import { DiagnosisPanel } from "../diagnosis/diagnosis-panel";
import type { PageFinding } from "../diagnosis/page-findings";

/** Why there is no row: of a run that should give some, from evidence. */
export function NoRows({ job, view, page }: { job: Job; view: ResultView; page: readonly PageFinding[] }) {
  const state = view.status?.observed ?? job.observed;
  const placeholder = placeholderOf(state, job, view);
  return placeholder ? <Panel>{placeholder}</Panel> : <DiagnosisPanel jobId={job.id} page={page} />;
}

/** Null: from evidence it can be said. */
export function placeholderOf(state: Job["observed"], job: Job, view: ResultView) {
  if (state === "never_started")
    return <Empty title="Not started yet">Start the job to see live results here.</Empty>;
  if (state === "failed" && (view.error || view.phase === "live"))
    return <Empty title="No results">See the error above.</Empty>;
  // Until the rows were read, nobody knows that there are none.
  if (view.phase !== "live") return <Loading title="Loading results…" />;
  if (state === "stopped")
    return (
      <Empty title="No results">
        No rows are stored: none came, or they were deleted or have expired. Start or resume the job.
      </Empty>
    );
  if (state === "starting")
    return (
      <Loading title="Starting the query">
        Since <Ago at={job.observed_since} />. Takes ~1 s on a warm engine, ~10 s on a new one.
      </Loading>
    );
  return null;
}
