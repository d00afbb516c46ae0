import { Link } from "wouter";
import { useLag } from "../../api/jobs";
import type { Job, RunCounts } from "../../api/types";
import { count, counted, share } from "../../ui/format/numbers";
import { Panel } from "../../ui/page";
import { QueryResult } from "../../ui/query-result";
import { Table, type Column } from "../../ui/table";
import { reasonText } from "../../ui/malformed-reasons";
import { recordAddress } from "./header/record-address";

type Reason = RunCounts["sources"][string]["reasons"][number];

/** Malformed records of each source by reason, with an example: counted by the job, validated or not. */
export function MalformedReasons({ job, streams }: { job: Job; streams: ReadonlyMap<string, string> }) {
  const lag = useLag(job.id);
  return (
    <QueryResult query={lag} what="malformed records">
      {({ counts }) => (
        <>
          {Object.entries(counts?.sources ?? {})
            .filter(([, { malformed }]) => malformed > 0)
            .map(([source, counted]) => (
              <SourceReasons
                key={source}
                source={source}
                stream={streams.get(source) ?? null}
                counts={counted}
              />
            ))}
        </>
      )}
    </QueryResult>
  );
}

interface SourceReasonsProps {
  source: string;
  /** its registered stream; null while the document is not read */
  stream: string | null;
  counts: RunCounts["sources"][string];
}

export function SourceReasons({ source, stream, counts }: SourceReasonsProps) {
  const columns: readonly Column<Reason>[] = [
    {
      name: "Reason",
      cell: ({ reason }) => (
        <>
          {reasonText(reason)} <code>{reason}</code>
        </>
      ),
    },
    { name: "Records", numeric: true, cell: ({ records }) => count(records) },
    { name: "Share", numeric: true, cell: ({ records }) => share(records / counts.records) },
    {
      name: "Newest example",
      cell: ({ example }) =>
        example && stream !== null ? (
          <Link href={recordAddress(stream, example)}>
            partition {example.partition}, offset {example.offset}
          </Link>
        ) : (
          "–"
        ),
    },
  ];
  return (
    <Panel
      title={`Malformed records of ${source}`}
      aside={
        <span className="soft">
          {count(counts.malformed)} of {counted(counts.records, "record")} in this generation,{" "}
          {share(counts.malformed / counts.records)}
        </span>
      }
      flush
    >
      <Table
        label={`Malformed records of ${source} by reason`}
        columns={columns}
        rows={counts.reasons}
        rowKey={({ reason }) => reason}
      />
    </Panel>
  );
}
