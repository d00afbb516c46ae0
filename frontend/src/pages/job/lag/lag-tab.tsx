import { useNewestLag, withFrame } from "../../../api/newest-lag";
import type { Job } from "../../../api/types";
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
  const { query, frame } = useNewestLag(job.id);
  if (job.observed === "never_started")
    return (
      <Panel>
        <Empty title="No lag yet">Start the job to see consumer lag.</Empty>
      </Panel>
    );
  return (
    <>
      <LagHealthLine job={job} />
      <QueryResult query={query} what="consumer lag">
        {(stored) => {
          const now = withFrame(stored, frame);
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
              <Watermark job={job} lag={now} frame={frame} />
            </>
          );
        }}
      </QueryResult>
      <HistorySection jobId={job.id} />
    </>
  );
}
