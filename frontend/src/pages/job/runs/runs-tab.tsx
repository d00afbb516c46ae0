import { Tooltip } from "@mantine/core";
import { useRuns } from "../../../api/jobs";
import type { Run } from "../../../api/types";
import { duration } from "../../../ui/format/durations";
import { QueryResult } from "../../../ui/query-result";
import { LoadMore } from "../../../ui/load-more";
import { PausedUpdates } from "../../../ui/paused-updates";
import { Panel } from "../../../ui/page";
import { Empty, RawText } from "../../../ui/placeholders";
import { StateBadge } from "../../../ui/status";
import { Table, type Column } from "../../../ui/table";
import { Time, useNow } from "../../../ui/time";
import { modeLabel } from "../../../ui/labels";
import { LatestStart } from "./latest-start";
import { startPhases } from "./start-phases";

function RunLength({ run }: { run: Run }) {
  const now = useNow();
  if (!run.started_at) return <>–</>;
  const end = run.ended_at ? Date.parse(run.ended_at) : now;
  return <>{duration(Math.max(0, end - Date.parse(run.started_at)))}</>;
}

/** "4.2 s", with when each phase was reached: "placed 0.2 s · engine ready 0.2 s · …" */
function StartLength({ run }: { run: Run }) {
  const reached = startPhases(run).filter(({ atMs }) => atMs !== null);
  if (!reached.length) return <>–</>;
  const live = run.phases_ms.caught_up;
  const total = live === null ? (run.ended_at ? "Not live" : "Starting") : duration(live);
  return (
    <Tooltip label={reached.map(({ label, atMs }) => `${label.toLowerCase()} ${duration(atMs)}`).join(" · ")}>
      <span tabIndex={0}>{total}</span>
    </Tooltip>
  );
}

const COLUMNS: readonly Column<Run>[] = [
  { name: "Started", cell: ({ started_at }) => <Time at={started_at} /> },
  { name: "Live after", numeric: true, wideOnly: true, cell: (run) => <StartLength run={run} /> },
  { name: "Status", cell: ({ state }) => <StateBadge state={state} plain /> },
  { name: "Duration", numeric: true, cell: (run) => <RunLength run={run} /> },
  { name: "Version", term: "Job version", numeric: true, wideOnly: true, cell: ({ version }) => version },
  { name: "Generation", numeric: true, wideOnly: true, cell: ({ generation }) => generation },
  { name: "Start #", numeric: true, wideOnly: true, cell: ({ epoch }) => epoch },
  { name: "Execution mode", wideOnly: true, cell: ({ mode }) => (mode ? modeLabel(mode) : "–") },
  {
    name: "End reason",
    cell: ({ end_reason, failure, ended_at }) => (
      <>
        {failure?.message ?? (end_reason || (ended_at ? "Unknown" : "–"))}
        {failure && <RawText text={failure.raw} label="Engine error" />}
      </>
    ),
  },
];

/** What ran when, and why it ended. */
export function RunsTab({ jobId }: { jobId: string }) {
  const runs = useRuns(jobId);
  const [latest] = runs.data?.results ?? [];
  return (
    <>
      {latest && <LatestStart run={latest} />}
      <Panel flush>
        <PausedUpdates pages={runs.data?.pages ?? 0} query={runs} />
        <QueryResult query={runs} what="runs">
          {({ results }) =>
            results.length ? (
              <Table
                label="Runs"
                columns={COLUMNS}
                rows={results}
                rowKey={({ id, epoch }) => `${id} ${String(epoch)}`}
              />
            ) : (
              <Empty title="No runs yet">Every start of the job appears here with its end reason.</Empty>
            )
          }
        </QueryResult>
        <LoadMore query={runs} />
      </Panel>
    </>
  );
}
