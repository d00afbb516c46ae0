import { useEngines } from "../../api/workspaces";
import type { Engine } from "../../api/types";
import { EngineBadge } from "../../ui/engine-badge";
import { bytes, count, measured } from "../../ui/format/numbers";
import { QueryResult } from "../../ui/query-result";
import { Panel } from "../../ui/page";
import { Empty, RawText } from "../../ui/placeholders";
import { Table, type Column } from "../../ui/table";
import { Ago } from "../../ui/time";

const ENGINES: readonly Column<Engine>[] = [
  {
    name: "Engine",
    cell: ({ id, kind, standby }) => (
      <>
        <strong>{standby ? "standby" : kind}</strong> <code className="soft">{id.slice(0, 12)}</code>
      </>
    ),
  },
  {
    name: "State",
    cell: (engine) => (
      <>
        <EngineBadge engine={engine} />
        {engine.successor !== null && <div className="soft">Its runs move to {engine.successor}</div>}
        {engine.failure && (
          <div>
            {engine.failure.message}
            <RawText text={engine.failure.raw} />
          </div>
        )}
      </>
    ),
  },
  { name: "Last heartbeat", cell: ({ last_seen_at }) => <Ago at={last_seen_at} /> },
  {
    name: "Slots",
    numeric: true,
    cell: ({ slots, slots_used }) => `${count(slots_used)} of ${count(slots)}`,
  },
  { name: "Memory", numeric: true, wideOnly: true, cell: ({ memory_bytes }) => bytes(memory_bytes) },
  {
    name: "Processor",
    numeric: true,
    cell: ({ cpu_cores, host_cores }) =>
      cpu_cores === null ? "–" : `${measured(cpu_cores)} of ${count(host_cores)} cores`,
  },
  { name: "Runs", numeric: true, cell: ({ runs }) => count(runs.length) },
  {
    name: "Process",
    wideOnly: true,
    cell: ({ host, pid }) =>
      pid === null ? (
        "–"
      ) : (
        <code>
          {host ?? ""}:{pid}
        </code>
      ),
  },
];

export function EnginesTab() {
  const engines = useEngines();
  return (
    <Panel title="Engines" flush>
      <QueryResult query={engines} what="engines">
        {({ results }) =>
          results.length ? (
            <Table label="Engines" columns={ENGINES} rows={results} rowKey={({ id }) => id} />
          ) : (
            <Empty title="No engines running">Weir starts one with the first job, in a few seconds.</Empty>
          )
        }
      </QueryResult>
    </Panel>
  );
}
