import { useLag } from "../../../api/jobs";
import { useLiveLag } from "../../../api/live";
import type { Job, JobLag } from "../../../api/types";
import { Panel } from "../../../ui/page";
import { QueryResult } from "../../../ui/query-result";
import { Empty } from "../../../ui/placeholders";
import { Ago } from "../../../ui/time";
import { HistorySection } from "./history-section";
import { PartitionTable } from "./partition-table";
import { LagHealthLine } from "./lag-health-line";
import { Watermark } from "./watermark";

/** Lag per partition, its history, and whether the job keeps up. */
export function LagTab({ job }: { job: Job }) {
  const stored = useLag(job.id);
  const live = useLiveLag(job.id);
  if (job.observed === "never_started")
    return (
      <Panel>
        <Empty title="No lag yet">Start the job to see consumer lag.</Empty>
      </Panel>
    );
  return (
    <>
      <LagHealthLine job={job} />
      <QueryResult query={stored} what="consumer lag">
        {(lag) => {
          const now: JobLag = live
            ? { ...lag, at: new Date(live.at_us / 1000).toISOString(), sources: live.sources }
            : lag;
          return (
            <>
              {Object.entries(now.sources).map(([name, source]) => (
                <Panel
                  key={name}
                  title={`Source ${name}`}
                  aside={
                    <span className="soft">
                      as of <Ago at={now.at} />
                    </span>
                  }
                  flush
                >
                  <PartitionTable name={name} source={source} realtime={job.mode?.mode === "realtime"} />
                </Panel>
              ))}
              {Object.keys(now.sources).length === 0 && (
                <Panel>
                  <Empty title="No offsets yet">Offsets appear ~1 s after the job starts reading.</Empty>
                </Panel>
              )}
              <Watermark job={job} frame={live} mirror={lag.mirror_group} />
            </>
          );
        }}
      </QueryResult>
      <HistorySection jobId={job.id} />
    </>
  );
}
