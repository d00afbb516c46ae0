import { Button } from "@mantine/core";
import { useEffect, useRef } from "react";
import { useRowInputs } from "../../../api/jobs";
import type { RowInputs, RowSource } from "../../../api/types";
import { counted } from "../../../ui/format/numbers";
import { Panel } from "../../../ui/page";
import { QueryResult } from "../../../ui/query-result";
import { Badge } from "../../../ui/status";
import { Time } from "../../../ui/time";
import { RecordTable } from "../../stream/record-table";
import { claimText, rowTitle, scannedText, soughtText } from "./row-inputs-text";
import classes from "./live.module.css";

interface RowInputsPanelProps {
  jobId: string;
  /** fields of the result's key */
  names: readonly string[];
  /** identity text of the row */
  row: string;
  onClose: () => void;
}

/** The newest input records that made a row, by source, and how far they are known. */
export function RowInputsPanel({ jobId, names, row, onClose }: RowInputsPanelProps) {
  const query = useRowInputs(jobId, row);
  const box = useRef<HTMLDivElement>(null);
  const opener = useRef<Element | null>(null);
  // It opens below the table, where it may be out of sight.
  useEffect(() => {
    opener.current = document.activeElement;
    box.current?.focus({ preventScroll: true });
    box.current?.scrollIntoView({ block: "start" });
  }, []);
  return (
    <div ref={box} tabIndex={-1} className={classes["rowInputs"]}>
      <Panel
        title={`Records behind ${rowTitle(names, row)}`}
        aside={
          <Button
            variant="default"
            size="compact-sm"
            onClick={() => {
              onClose();
              if (opener.current instanceof HTMLElement) opener.current.focus();
            }}
          >
            Close
          </Button>
        }
      >
        <QueryResult query={query} what="records of this row">
          {(found) => (
            <div className={classes["sources"]}>
              <Found found={found} />
            </div>
          )}
        </QueryResult>
      </Panel>
    </div>
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
        <RecordTable
          topicRef={{ stream: source.stream }}
          records={source.records}
          fields={fields}
          label={`Records, ${source.source}`}
        />
      )}
    </section>
  );
}
