import { useClusters, useEngines } from "../../api/workspaces";
import type { Cluster, Engine } from "../../api/types";
import { EngineMark } from "../../ui/engine-mark";
import { bytes, count } from "../../ui/format/numbers";
import { Loaded } from "../../ui/loaded";
import { Panel } from "../../ui/page";
import { Empty, RawText } from "../../ui/states";
import { Mark } from "../../ui/status";
import { Table, type Column } from "../../ui/table";
import { Ago } from "../../ui/time";

const ENGINES: readonly Column<Engine>[] = [
  { name: "Engine", cell: ({ id, kind }) => <><strong>{kind}</strong> <code className="soft">{id.slice(0, 12)}</code></> },
  { name: "State", cell: (engine) => <><EngineMark engine={engine} />{engine.failure && <div>{engine.failure.message}<RawText text={engine.failure.raw} /></div>}</> },
  { name: "Last heard", cell: ({ last_heard }) => <Ago at={last_heard} /> },
  { name: "Slots", numeric: true, cell: ({ slots, slots_used }) => `${count(slots_used)} of ${count(slots)}` },
  { name: "Memory", numeric: true, wideOnly: true, cell: ({ memory_bytes }) => bytes(memory_bytes) },
  { name: "Runs", numeric: true, cell: ({ runs }) => count(runs.length) },
  { name: "Process", wideOnly: true, cell: ({ host, pid }) => (pid === null ? "–" : <code>{host ?? ""}:{pid}</code>) },
];

const CLUSTERS: readonly Column<Cluster>[] = [
  { name: "Cluster", cell: ({ name, home }) => <><strong>{name}</strong> {home && <span className="soft">home: carries Weir's own topics</span>}</> },
  { name: "Address", wideOnly: true, cell: ({ bootstrap }) => <code>{bootstrap}</code> },
  {
    name: "State",
    cell: ({ reachable, error }) => (
      <>
        {reachable === null ? <Mark tone="warn" plain>Not asked yet</Mark> : <Mark tone={reachable ? "good" : "bad"} plain>{reachable ? "Reachable" : "Not reachable"}</Mark>}
        {error && <RawText text={error} label="What it said" />}
      </>
    ),
  },
  { name: "Asked", cell: ({ checked_at }) => <Ago at={checked_at} /> },
];

export function EnginesTab() {
  const engines = useEngines();
  const clusters = useClusters();
  return (
    <>
      <Panel title="Engines" flush>
        <Loaded query={engines} what="the engines">
          {({ results }) => (results.length ? <Table label="Engines" columns={ENGINES} rows={results} rowKey={({ id }) => id} /> : <Empty title="No engine runs">An engine is a Spark application. One is submitted when the first job is started.</Empty>)}
        </Loaded>
      </Panel>
      <Panel title="Kafka" flush>
        <Loaded query={clusters} what="the clusters">{({ results }) => <Table label="Kafka clusters" columns={CLUSTERS} rows={results} rowKey={({ id }) => id} />}</Loaded>
      </Panel>
    </>
  );
}
