import type { Job } from "../../../api/types";
import type { Picture } from "../../../live/results";
import { Empty, Waiting } from "../../../ui/states";
import { Ago } from "../../../ui/time";
import { whyNoRow } from "./no-rows-words";

/** Why there is no row, from facts. */
export function NoRows({ job, picture }: { job: Job; picture: Picture }) {
  const state = picture.status?.state ?? job.observed;
  if (state === "never_started") return <Empty title="This job has not been started">Start it at the top right; its rows appear here while they change.</Empty>;
  if (state === "stopped") return <Empty title="Stopped without a result">No row was written in this generation. Start the job, or resume it, at the top right.</Empty>;
  if (state === "failed") return <Empty title="No row was written before the job failed">The reason stands above.</Empty>;
  if (picture.phase !== "live") return <Waiting title="Asking for the rows">The first picture comes from the stored results, then changes follow.</Waiting>;
  const since = <Ago at={job.observed_since} />;
  if (state === "starting") return <Waiting title="The engine is starting the query">Began {since}. A warm engine needs about a second, a new one some ten seconds.</Waiting>;
  if (state === "waiting") return <Waiting title="Waiting for Kafka">Since {since}. The job goes on by itself when the broker answers.</Waiting>;
  if (state === "replaying") return <Waiting title="Replaying what was read before">Since {since}. Rows are held back until the job has caught up with what it had shown.</Waiting>;
  if (state === "unknown") return <Waiting title="Nothing is heard from the engine">Last word <Ago at={job.last_heard} />. What it wrote until then would stand here; there is none.</Waiting>;
  return <Waiting title="The job runs, and no row has come out yet">{whyNoRow(job)}</Waiting>;
}
