import { Button } from "@mantine/core";
import { useState } from "react";
import { useMay } from "../../api/workspace-context";
import { useEngines, useReplaceEngine } from "../../api/workspaces";
import type { Engine } from "../../api/types";
import { EngineBadge } from "../../ui/engine-badge";
import { Confirm } from "../../ui/confirm";
import { bytes, count, counted, measured } from "../../ui/format/numbers";
import { QueryResult } from "../../ui/query-result";
import { Panel } from "../../ui/page";
import { Empty, RawText } from "../../ui/placeholders";
import { Table, type Column } from "../../ui/table";
import { overloadText } from "../../ui/status";
import { Ago, Time } from "../../ui/time";

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
        {engine.overload && <div>Overloaded: {overloadText(engine.overload)}</div>}
        {engine.retry_at !== null && (
          <div className="soft">
            Next start <Time at={engine.retry_at} />
          </div>
        )}
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
      cpu_cores === null ? "–" : `${measured(cpu_cores)} of ${counted(host_cores, "core")}`,
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
  const [replacing, setReplacing] = useState<Engine | null>(null);
  const may = useMay("manage_engines");
  const columns: readonly Column<Engine>[] = may
    ? [
        ...ENGINES,
        {
          name: "Actions",
          unnamed: true,
          numeric: true,
          cell: (engine) =>
            isReplaceable(engine) && (
              <Button
                variant="subtle"
                color="gray"
                onClick={() => {
                  setReplacing(engine);
                }}
              >
                Replace
              </Button>
            ),
        },
      ]
    : ENGINES;
  return (
    <>
      <Panel title="Engines" flush>
        <QueryResult query={engines} what="engines">
          {({ results }) =>
            results.length ? (
              <Table label="Engines" columns={columns} rows={results} rowKey={({ id }) => id} />
            ) : (
              <Empty title="No engines running">Weir starts one with the first job, in a few seconds.</Empty>
            )
          }
        </QueryResult>
      </Panel>
      <Replacement
        engine={replacing}
        onClose={() => {
          setReplacing(null);
        }}
      />
    </>
  );
}

function isReplaceable({ kind, standby, state, successor }: Engine): boolean {
  return kind === "shared" && !standby && state === "ready" && successor === null;
}

function Replacement({ engine, onClose }: { engine: Engine | null; onClose: () => void }) {
  const replace = useReplaceEngine();
  return (
    <Confirm
      opened={engine !== null}
      onClose={() => {
        replace.reset();
        onClose();
      }}
      title={`Replace engine ${engine?.id ?? ""}?`}
      verb="Replace engine"
      danger={false}
      busy={replace.isPending}
      error={replace.error}
      onConfirm={() => {
        if (engine) replace.mutate(engine.id, { onSuccess: onClose });
      }}
    >
      {engine && (
        <>
          <p>
            {counted(engine.runs.length, "job")} of this workspace{" "}
            {engine.runs.length === 1 ? "moves" : "move"} to the standby engine at the end of a batch. Each
            job's results pause while the standby starts its queries. Then {engine.id} starts again as the
            next standby.
          </p>
          <p className="soft">Nothing is lost: each job continues where its last batch ended.</p>
        </>
      )}
    </Confirm>
  );
}
