import type { PartitionLag, SourceLag } from "../../../api/types";
import { SECONDS_BY, lagTime } from "../../../lag-health/health";
import { count } from "../../../ui/format/numbers";
import { Table, type Column } from "../../../ui/table";

function columns(realtime: boolean): Column<PartitionLag>[] {
  return [
    { name: "Partition", cell: ({ partition }) => partition },
    { name: "Committed offset", numeric: true, cell: ({ committed }) => count(committed) },
    ...(realtime
      ? [{ name: "Fetched offset", numeric: true, cell: ({ fetched }: PartitionLag) => count(fetched) }]
      : []),
    { name: "Log end offset", numeric: true, cell: ({ end }) => count(end) },
    { name: "Lag (records)", numeric: true, cell: ({ records }) => <strong>{count(records)}</strong> },
    { name: "Lag (time)", numeric: true, cell: lagTimeCell },
  ];
}

function lagTimeCell({ seconds, lower_bound }: PartitionLag) {
  return lower_bound ? (
    <span title={SECONDS_BY["at_least"]}>{lagTime(seconds, "at_least")}</span>
  ) : (
    lagTime(seconds, "sampled")
  );
}

/** Offsets are those of the next record: committed = safe after a crash, fetched = read now, end = newest. */
export function PartitionTable({
  name,
  source,
  realtime,
}: {
  name: string;
  source: SourceLag;
  realtime: boolean;
}) {
  return (
    <Table
      label={`Lag of ${name} by partition`}
      columns={columns(realtime)}
      rows={source.partitions}
      rowKey={({ partition }) => partition}
    />
  );
}
