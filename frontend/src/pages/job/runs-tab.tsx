import { useRuns } from "../../api/jobs";
import type { Run } from "../../api/types";
import { duration } from "../../ui/format/durations";
import { QueryResult } from "../../ui/query-result";
import { LoadMore } from "../../ui/load-more";
import { Panel } from "../../ui/page";
import { Empty, RawText } from "../../ui/placeholders";
import { StateBadge } from "../../ui/status";
import { Table, type Column } from "../../ui/table";
import { Time, useNow } from "../../ui/time";
import { modeLabel } from "../../ui/labels";

function RunLength({ run }: { run: Run }) {
  const now = useNow();
  if (!run.started_at) return <>–</>;
  const end = run.ended_at ? Date.parse(run.ended_at) : now;
  return <>{duration(Math.max(0, end - Date.parse(run.started_at)))}</>;
}

const COLUMNS: readonly Column<Run>[] = [
  { name: "Started", cell: ({ started_at }) => <Time at={started_at} /> },
  { name: "State", cell: ({ state }) => <StateBadge state={state} plain /> },
  { name: "Lasted", numeric: true, cell: (run) => <RunLength run={run} /> },
  { name: "Version", numeric: true, wideOnly: true, cell: ({ version }) => version },
  { name: "Generation", numeric: true, wideOnly: true, cell: ({ generation }) => generation },
  { name: "Epoch", numeric: true, wideOnly: true, cell: ({ epoch }) => epoch },
  { name: "Mode", wideOnly: true, cell: ({ mode }) => (mode ? modeLabel(mode) : "–") },
  {
    name: "Why it ended",
    cell: ({ why_ended, failure, ended_at }) => (
      <>
        {failure?.message ?? (why_ended || (ended_at ? "not known" : "–"))}
        {failure && <RawText text={failure.raw} label="What the engine said" />}
      </>
    ),
  },
];

/** What ran when, and why it ended. */
export function RunsTab({ jobId }: { jobId: string }) {
  const runs = useRuns(jobId);
  return (
    <Panel flush>
      <QueryResult query={runs} what="the runs">
        {({ results }) =>
          results.length ? <Table label="Runs" columns={COLUMNS} rows={results} rowKey={({ id, epoch }) => `${id} ${String(epoch)}`} /> : <Empty title="No runs yet">Each start of the job is listed here with the reason why it ended.</Empty>
        }
      </QueryResult>
      <LoadMore query={runs} what="runs" />
    </Panel>
  );
}
