import { Button } from "@mantine/core";
import { useRowInputs } from "../../../api/jobs";
import type { RowInputs, RowSource } from "../../../api/types";
import { counted } from "../../../ui/format/numbers";
import { Panel } from "../../../ui/page";
import { QueryResult } from "../../../ui/query-result";
import { Badge } from "../../../ui/status";
import { Time } from "../../../ui/time";
import { RecordTable } from "../../stream/record-table";
import { claimText, scannedText, soughtText } from "./row-inputs-text";

interface RowInputsPanelProps {
  jobId: string;
  /** identity text of the row */
  row: string;
  onClose: () => void;
}

/** The newest input records that made a row, by source, and how far they are known. */
export function RowInputsPanel({ jobId, row, onClose }: RowInputsPanelProps) {
  const query = useRowInputs(jobId, row);
  return (
    <Panel
      title={
        <>
          Records behind <code>{row}</code>
        </>
      }
      aside={
        <Button variant="default" size="compact-sm" onClick={onClose}>
          Close
        </Button>
      }
    >
      <QueryResult query={query} what="records of this row">
        {(found) => <Found found={found} />}
      </QueryResult>
    </Panel>
  );
}

function Found({ found }: { found: RowInputs }) {
  return (
    <>
      <p role="status">
        <Badge tone={found.exact ? "good" : "warn"} plain>
          {claimText(found)}
        </Badge>{" "}
        <span className="soft">
          Newest input <Time at={found.newest_input} />, version {found.version}.
          {found.partial &&
            " The window opened before the job read, or before a measure was added: rows may be missing."}
        </span>
      </p>
      {found.doubts.length > 0 && (
        <ul>
          {found.doubts.map(({ step, reason }) => (
            <li key={`${step} ${reason}`}>
              <code>{step}</code>: {reason}.
            </li>
          ))}
        </ul>
      )}
      {found.sources.map((source) => (
        <Source key={source.source} source={source} />
      ))}
    </>
  );
}

function Source({ source }: { source: RowSource }) {
  const fields = Object.keys(source.records[0]?.row ?? {}).map((name) => ({ name }));
  const sought = soughtText(source);
  return (
    <section aria-label={`Records of ${source.source}`}>
      <h3>
        {source.source}{" "}
        <span className="soft">
          {source.total === null ? "" : counted(source.total, "record")}
          {source.total !== null && source.total > source.records.length
            ? `, the newest ${String(source.records.length)} shown`
            : ""}
        </span>
      </h3>
      <p className="soft">
        {sought && <>Looked for {sought}. </>}
        {scannedText(source)}
        {source.oldest !== null && (
          <>
            {" "}
            Back to <Time at={source.oldest} /> (Kafka timestamp).
          </>
        )}
      </p>
      {source.records.length > 0 && (
        <RecordTable topicRef={{ stream: source.stream }} records={source.records} fields={fields} />
      )}
    </section>
  );
}
