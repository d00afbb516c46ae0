import { Button, Select } from "@mantine/core";
import { useEffect, useState } from "react";
import { ApiError } from "../../api/client";
import type { KeyAs, TopicRef, RecordsQuery } from "../../api/query-keys";
import { useRecords } from "../../api/records";
import type { Contract, Scan } from "../../api/types";
import { useUrlState } from "../../ui/url-state";
import { count, counted } from "../../ui/format/numbers";
import { QueryResult } from "../../ui/query-result";
import { Panel } from "../../ui/page";
import { Empty } from "../../ui/placeholders";
import { Badge } from "../../ui/status";
import { SubmitTime, SubmitText } from "./submit-input";
import { ScanLimitsForm, useScanLimits } from "./scan-limits";
import { Export } from "./export";
import { ScanSummary } from "./scan-summary";
import { scanProgress } from "./scan-progress";
import { RecordTable } from "./record-table";
import { Refresh } from "./refresh";
import classes from "./stream.module.css";

const KINDS = ["newest", "earliest", "offset", "time"] as const;
const PAGE_SIZE = 50;

function kindOf(text: string): RecordsQuery["from"] {
  return KINDS.find((kind) => kind === text) ?? "newest";
}

const KEYS_AS: readonly { value: KeyAs; label: string }[] = [
  { value: "fields", label: "Fields (JSON)" },
  { value: "text", label: "Text" },
  { value: "base64", label: "Base64" },
  { value: "hex", label: "Hex" },
];

interface BrowseProps {
  topicRef: TopicRef;
  partitions: number;
  fields: Contract["fields"];
  /** fields that are read from the key */
  keyFields?: readonly string[];
  from: string;
}

/** Records in the order of the topic, all or those that match a filter, and the extent of the scan. */
export function Browse({ topicRef, partitions, fields, keyFields = [], from }: BrowseProps) {
  const kind = kindOf(from);
  const [partition, setPartition] = useUrlState("partition", "");
  const [offset, setOffset] = useUrlState("offset", "");
  const [time, setTime] = useUrlState("time", "");
  const [until, setUntil] = useUrlState("until", "");
  const [key, setKey] = useUrlState("key", "");
  const usual = keyFields.length ? "fields" : "text";
  const [keyText, setKeyAs] = useUrlState("key_as", usual);
  const keyAs = KEYS_AS.find(({ value }) => value === keyText)?.value ?? usual;
  const [where, setWhere] = useUrlState("where", "");
  const enough = kind === "offset" ? /^\d+$/.test(offset) : kind === "time" ? time !== "" : true;
  const filter: RecordsQuery = {
    from: kind,
    partition: /^\d+$/.test(partition) ? Number(partition) : null,
    ...(kind === "offset" && { offset: Number(offset) }),
    ...(kind === "time" && { time }),
    ...(kind !== "offset" && until && { until }),
    ...(key && { key, key_as: keyAs }),
    ...(where && { where }),
    ...useScanLimits(),
  };
  return (
    <Panel
      flush
      title={
        <div className={classes["bar"]}>
          <Select
            aria-label="Partition"
            placeholder="All partitions"
            clearable
            data={Array.from({ length: partitions }, (_, n) => ({
              value: String(n),
              label: `Partition ${String(n)}`,
            }))}
            value={partition || null}
            onChange={setPartition}
            w={150}
          />
          {kind === "offset" && <SubmitText label="Offset" value={offset} onSubmit={setOffset} numeric />}
          {kind === "time" && <SubmitTime label="From" value={time} onSubmit={setTime} />}
          <SubmitText
            label={keyAs === "fields" ? `Key: ${keyFields.join(", ")}` : "Key"}
            value={key}
            onSubmit={setKey}
            code={keyAs !== "text"}
          />
          <Select
            aria-label="Key format"
            allowDeselect={false}
            data={KEYS_AS.filter(({ value }) => value !== "fields" || keyFields.length > 0)}
            value={keyAs}
            onChange={setKeyAs}
            w={150}
          />
          {"stream" in topicRef && (
            <SubmitText label="Filter, e.g. price > 100" value={where} onSubmit={setWhere} code wide />
          )}
          {kind !== "offset" && <SubmitTime label="Until" value={until} onSubmit={setUntil} optional />}
        </div>
      }
      aside={
        <span className={classes["bar"]}>
          <ScanLimitsForm />
          <Export topicRef={topicRef} filter={filter} disabled={!enough} />
        </span>
      }
    >
      {enough ? (
        <Found
          key={JSON.stringify(filter)}
          topicRef={topicRef}
          fields={fields}
          filter={filter}
          searching={Boolean(key || where)}
        />
      ) : (
        <Empty title={kind === "offset" ? "Enter an offset" : "Select a start time"}>
          {kind === "offset"
            ? "It applies to every partition unless you select one."
            : "Shows records with a Kafka timestamp from then on."}
        </Empty>
      )}
    </Panel>
  );
}

interface FoundProps {
  topicRef: TopicRef;
  fields: Contract["fields"];
  filter: RecordsQuery;
  searching: boolean;
}

/**
 * The records of one query. A search continues until it has enough matches, the topic ends or the user stops
 * it.
 */
function Found({ topicRef, fields, filter, searching }: FoundProps) {
  const records = useRecords(topicRef, filter, true);
  const [limit, setLimit] = useState(PAGE_SIZE);
  const [stopped, setStopped] = useState(false);
  const exact =
    filter.from === "offset" && filter.partition !== null
      ? `${String(filter.partition)}:${String(filter.offset)}`
      : undefined;
  const pages = records.data?.pages ?? [];
  const rows = pages.flatMap((page) => page.records);
  const goesOn = searching && !stopped && records.hasNextPage && !records.error && rows.length < limit;
  const { fetchNextPage, isFetching } = records;
  useEffect(() => {
    if (goesOn && !isFetching) void fetchNextPage();
  }, [goesOn, isFetching, fetchNextPage]);
  const refused =
    records.error instanceof ApiError && ["FILTER_INVALID", "KEY_INVALID"].includes(records.error.code ?? "")
      ? records.error
      : null;
  if (refused)
    return (
      <p role="alert" className={classes["note"]}>
        <Badge tone="bad" plain>
          {refused.code === "KEY_INVALID" ? "Invalid key" : "Invalid filter"}
        </Badge>{" "}
        {refused.message}
      </p>
    );
  const more = () => {
    setStopped(false);
    setLimit(rows.length + PAGE_SIZE);
    // A search goes on by itself, but not after an error.
    if (!searching || records.error) void fetchNextPage();
  };
  return (
    <QueryResult query={records} what="records">
      {() => (
        <>
          <ScanSummary scans={pages.map((page) => page.scan)} />
          {searching && (
            <Progress
              scans={pages.map((page) => page.scan)}
              found={rows.length}
              running={goesOn}
              onStop={() => {
                setStopped(true);
              }}
            />
          )}
          {rows.length ? (
            <RecordTable topicRef={topicRef} records={rows} fields={fields} expanded={exact} />
          ) : (
            !goesOn && (
              <NothingFound
                scans={pages.map((page) => page.scan)}
                partition={filter.partition}
                searching={searching}
                more={records.hasNextPage}
              />
            )
          )}
          <div className={classes["more"]}>
            {records.hasNextPage && !goesOn && (
              <Button variant="default" loading={records.isFetchingNextPage} onClick={more}>
                Load more
              </Button>
            )}
            <Refresh query={records} />
          </div>
        </>
      )}
    </QueryResult>
  );
}

function Progress({
  scans,
  found,
  running,
  onStop,
}: {
  scans: readonly Scan[];
  found: number;
  running: boolean;
  onStop: () => void;
}) {
  const { done, of } = scanProgress(scans);
  return (
    <div className={classes["progress"]} role="status">
      <progress max={Math.max(1, of)} value={done} aria-label="Scan progress" />
      <span>
        {counted(found, "match", "matches")} in {count(done)} of {counted(of, "record")}
      </span>
      {running && (
        <Button variant="default" onClick={onStop}>
          Stop
        </Button>
      )}
    </div>
  );
}

function NothingFound({
  scans,
  partition,
  searching,
  more,
}: {
  scans: readonly Scan[];
  /** null: all */
  partition: number | null;
  searching: boolean;
  more: boolean;
}) {
  const last = scans.at(-1);
  const empty = last?.partitions.every(({ log_start, log_end }) => log_start === log_end) ?? true;
  if (empty)
    return (
      <Empty title="No records yet">
        {partition === null ? "The topic" : `Partition ${String(partition)}`} is empty, or its records are
        older than its retention.
      </Empty>
    );
  if (searching)
    return (
      <Empty title={more ? "No matches yet" : "No matching records"}>
        Scanned{" "}
        {counted(
          scans.reduce((sum, { records }) => sum + records, 0),
          "record",
        )}
        {more ? "; more remain." : ", the whole range."}
      </Empty>
    );
  return (
    <Empty title="No records in this range">
      {partition === null ? "The topic" : `Partition ${String(partition)}`} has records before or after it.
    </Empty>
  );
}
