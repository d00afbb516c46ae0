import { Button, FileButton, NumberInput, Textarea, TextInput } from "@mantine/core";
import { useState } from "react";
import { ApiError } from "../../api/client";
import { useProduce, type Produced } from "../../api/records";
import type { Stream } from "../../api/types";
import { count, counted } from "../../ui/format/numbers";
import { Icon } from "../../ui/icons";
import { Panel } from "../../ui/page";
import { Mark } from "../../ui/status";
import { readLines, withObject, writtenAsObjects } from "./new-records";
import classes from "./stream.module.css";

/** One record by hand, or a file of them; both are checked against the contract before anything is written. */
export function ProduceTab({ stream }: { stream: Stream }) {
  return (
    <>
      <Panel title="One record"><OneRecord stream={stream} /></Panel>
      <Panel title="A file of records"><FileOfRecords stream={stream} /></Panel>
    </>
  );
}

function example(stream: Stream): string {
  const sample = (type: string) => (type === "string" ? "text" : type === "boolean" ? true : type.startsWith("timestamp") ? new Date().toISOString() : type === "date" ? "2026-01-31" : 1);
  return JSON.stringify(Object.fromEntries(stream.contract.fields.map(({ name, type }) => [name, sample(type)])), null, 2);
}

function OneRecord({ stream }: { stream: Stream }) {
  const produce = useProduce(stream.name);
  const asObject = writtenAsObjects(stream.contract);
  const [value, setValue] = useState(() => example(stream));
  const [key, setKey] = useState("");
  const [partition, setPartition] = useState<number | null>(null);
  const [done, setDone] = useState<Produced | null>(null);
  const write = () => {
    const record = { value, ...(key && { key }), ...(partition !== null && { partition }) };
    produce.mutate({ records: [asObject ? withObject(record) : record], onProgress: setDone });
  };
  return (
    <form className={classes["produce"]} onSubmit={(event) => { event.preventDefault(); write(); }}>
      <Textarea label="Value" description={asObject ? "JSON, in the form in which rows show their values; written as Avro by the stream's schema" : "Written as it stands here"} autosize minRows={4} maxRows={16} value={value} onChange={(e) => { setValue(e.currentTarget.value); }} styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }} />
      <div className={classes["bar"]}>
        <TextInput label="Key" description="empty: none" value={key} onChange={(e) => { setKey(e.currentTarget.value); }} />
        <NumberInput label="Partition" description="empty: by the key" min={0} max={stream.partitions - 1} value={partition ?? ""} onChange={(n) => { setPartition(n === "" ? null : Number(n)); }} />
        <Button type="submit" loading={produce.isPending} style={{ alignSelf: "end" }}>Write the record</Button>
      </div>
      <Outcome error={produce.error} done={produce.isSuccess ? done : null} />
    </form>
  );
}

function FileOfRecords({ stream }: { stream: Stream }) {
  const produce = useProduce(stream.name);
  const [done, setDone] = useState<Produced | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const load = async (file: File | null) => {
    if (!file) return;
    const read = readLines(await file.text(), writtenAsObjects(stream.contract));
    setProblem(read.problem);
    setDone(null);
    if (!read.problem) produce.mutate({ records: read.records, onProgress: setDone });
  };
  return (
    <div className={classes["produce"]}>
      <p className="soft">One record a line: its value, or an object with <code>value</code>, <code>key</code>, <code>headers</code>, <code>partition</code>. Records go in groups of 500; a group with a record that does not fit the contract is not written, and nothing after it.</p>
      <div className={classes["bar"]}>
        <FileButton onChange={(file) => void load(file)} accept=".jsonl,.ndjson,.json,.txt,.csv">
          {(props) => <Button {...props} variant="default" loading={produce.isPending} leftSection={<Icon name="up" size={14} />}>Choose a file</Button>}
        </FileButton>
        {produce.isPending && done && <span role="status">{count(done.written)} of {counted(done.of, "record")} written</span>}
      </div>
      {problem && <p role="alert"><Mark tone="bad" plain>Nothing to write</Mark> {problem}</p>}
      <Outcome error={produce.error} done={produce.isPending ? null : done} />
    </div>
  );
}

function Outcome({ error, done }: { error: unknown; done: Produced | null }) {
  const shown = error instanceof ApiError ? error : null;
  return (
    <div role="status">
      {done && <p><Mark tone={error ? "warn" : "good"} plain>{counted(done.written, "record")} written</Mark>{done.last && ` up to offset ${count(done.last.offset)} of partition ${String(done.last.partition)}`}</p>}
      {error ? (
        <div role="alert">
          <Mark tone="bad" plain>{done?.written ? "The rest was not written" : "Not written"}</Mark> {shown?.message ?? "That did not work."}
          {shown && <ul>{shown.problems.map((problem) => <li key={problem.path.join()}>{problem.message}</li>)}</ul>}
        </div>
      ) : null}
    </div>
  );
}
