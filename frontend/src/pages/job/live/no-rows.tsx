import type { Job } from "../../../api/types";
import type { ResultView } from "../../../live/result-store";
import { Empty, Loading } from "../../../ui/placeholders";
import { Ago } from "../../../ui/time";
import { noRowsText } from "./no-rows-text";

/** Why there is no row, from facts. */
export function NoRows({ job, view }: { job: Job; view: ResultView }) {
  const state = view.status?.state ?? job.observed;
  if (state === "never_started") return <Empty title="This job has not been started">Start it at the top right; its rows appear here while they change.</Empty>;
  if (state === "stopped") return <Empty title="Stopped without a result">No row was written in this generation. Start the job, or resume it, at the top right.</Empty>;
  if (state === "failed") return <Empty title="No row was written before the job failed">The reason stands above.</Empty>;
  if (view.phase !== "live") return <Loading title="Asking for the rows">The first picture comes from the stored results, then changes follow.</Loading>;
  const since = <Ago at={job.observed_since} />;
  if (state === "starting") return <Loading title="The engine is starting the query">Began {since}. A warm engine needs about a second, a new one some ten seconds.</Loading>;
  if (state === "waiting") return <Loading title="Waiting for Kafka">Since {since}. The job goes on by itself when the broker answers.</Loading>;
  if (state === "replaying") return <Loading title="Replaying what was read before">Since {since}. Rows are held back until the job has caught up with what it had shown.</Loading>;
  if (state === "unknown") return <Loading title="Nothing is heard from the engine">Last word <Ago at={job.last_heard} />. What it wrote until then would stand here; there is none.</Loading>;
  return <Loading title="The job runs, and no row has come out yet">{noRowsText(job)}</Loading>;
}
