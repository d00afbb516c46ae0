import { Button, Select, TextInput } from "@mantine/core";
import { useState } from "react";
import type { RecordsQuery } from "../../api/keys";
import { useRecords } from "../../api/streams";
import type { Looked, Stream } from "../../api/types";
import { useAddress } from "../../ui/address";
import { utcTime, zoneId } from "../../ui/format/times";
import { Icon } from "../../ui/icons";
import { Loaded } from "../../ui/loaded";
import { Panel } from "../../ui/page";
import { Empty } from "../../ui/states";
import { HowFar } from "./how-far";
import { RecordTable } from "./record-table";
import classes from "./stream.module.css";

const KINDS = ["newest", "earliest", "offset", "time"] as const;

function kindOf(text: string): RecordsQuery["from"] {
  return KINDS.find((kind) => kind === text) ?? "newest";
}

/** Records as they lie in the topic, and how far the search looked. */
export function Browse({ stream, from }: { stream: Stream; from: string }) {
  const kind = kindOf(from);
  const [partition, setPartition] = useAddress("partition", "");
  const [offset, setOffset] = useAddress("offset", "");
  const [time, setTime] = useAddress("time", "");
  const enough = kind === "offset" ? offset !== "" : kind === "time" ? time !== "" : true;
  const filter: RecordsQuery = {
    from: kind,
    partition: partition === "" ? null : Number(partition),
    ...(kind === "offset" && { offset: Number(offset) }),
    ...(kind === "time" && { time }),
  };
  const records = useRecords(stream.name, filter, enough);
  const pages = records.data?.pages ?? [];
  const rows = pages.flatMap((page) => page.records);
  const partitions = Array.from({ length: stream.partitions }, (_, n) => String(n));
  return (
    <Panel
      flush
      title={
        <div className={classes["bar"]}>
          <Select aria-label="Partition" placeholder="All partitions" clearable data={partitions.map((n) => ({ value: n, label: `Partition ${n}` }))} value={partition || null} onChange={setPartition} w={150} />
          {kind === "offset" && <Asked label="Offset" value={offset} onAsk={setOffset} />}
          {kind === "time" && <AskedTime value={time} onAsk={setTime} />}
        </div>
      }
      aside={<Button variant="default" loading={records.isFetching && !records.isFetchingNextPage} leftSection={<Icon name="refresh" size={14} />} onClick={() => void records.refetch()}>Look again</Button>}
    >
      {!enough ? (
        <Empty title={kind === "offset" ? "From which offset?" : "From which time?"}>{kind === "offset" ? "Type an offset above; with a partition it is exact, without one it is taken in each." : "Choose a moment above: records that arrived from then on are shown."}</Empty>
      ) : (
        <Loaded query={records} what="the records">
          {() => (
            <>
              <HowFar looked={pages.map((page) => page.looked)} />
              {rows.length ? <RecordTable records={rows} fields={stream.contract.fields} /> : <NothingFound looked={pages.at(-1)?.looked} />}
              {records.hasNextPage && <div className={classes["more"]}><Button variant="default" loading={records.isFetchingNextPage} onClick={() => void records.fetchNextPage()}>Go on looking</Button></div>}
            </>
          )}
        </Loaded>
      )}
    </Panel>
  );
}

function NothingFound({ looked }: { looked: Looked | undefined }) {
  const empty = looked?.partitions.every(({ start, end }) => start === end) ?? true;
  return empty ? (
    <Empty title="The topic holds no records">Nothing has been written to it, or what was written is older than its retention.</Empty>
  ) : (
    <Empty title="No record from there on">The topic has records, but none in the stretch that was looked at.</Empty>
  );
}

function Asked({ label, value, onAsk }: { label: string; value: string; onAsk: (value: string | null) => void }) {
  const [text, setText] = useState(value);
  return (
    <form className={classes["bar"]} onSubmit={(event) => { event.preventDefault(); onAsk(text || null); }}>
      <TextInput aria-label={label} placeholder={label} inputMode="numeric" pattern="[0-9]*" value={text} onChange={(e) => { setText(e.currentTarget.value); }} w={130} />
      <Button type="submit" variant="default">Show</Button>
    </form>
  );
}

function AskedTime({ value, onAsk }: { value: string; onAsk: (value: string | null) => void }) {
  const [text, setText] = useState(() => {
    const at = value ? new Date(value) : new Date(Date.now() - 600_000);
    return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
  });
  const at = new Date(text);
  const valid = !Number.isNaN(at.getTime());
  return (
    <form className={classes["bar"]} onSubmit={(event) => { event.preventDefault(); if (valid) onAsk(at.toISOString()); }}>
      <TextInput type="datetime-local" step={1} aria-label={`Arrived from (${zoneId()})`} title={valid ? utcTime(at) : ""} value={text} onChange={(e) => { setText(e.currentTarget.value); }} />
      <Button type="submit" variant="default" disabled={!valid}>Show</Button>
    </form>
  );
}
