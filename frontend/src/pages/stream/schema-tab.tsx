import type { Contract, Stream } from "../../api/types";
import { Fact, Facts } from "../../ui/facts";
import { Panel } from "../../ui/page";
import { Table, type Column } from "../../ui/table";
import { durationWords, eventTimeWords } from "../../ui/words";

const COLUMNS: readonly Column<Contract["fields"][number]>[] = [
  { name: "Field", cell: ({ name }) => <strong>{name}</strong> },
  { name: "Type", cell: ({ type }) => <code>{type}</code> },
  { name: "May be missing", cell: ({ nullable }) => (nullable !== false ? "yes, or null" : "no: the record would be malformed") },
];

export function SchemaTab({ stream }: { stream: Stream }) {
  const { contract } = stream;
  return (
    <>
      <Facts>
        <Fact label="Format">{(contract.format ?? "json").toUpperCase()}</Fact>
        <Fact label="Event time" note={contract.event_time?.on_missing === "append" ? "arrival where it is missing" : "records without it are malformed"}>{eventTimeWords(contract.event_time)}</Fact>
        <Fact label="Allowed delay" note="the watermark trails the newest event time by this">{durationWords(contract.delay)}</Fact>
        <Fact label="Largest lead" note="further ahead of arrival is malformed">{contract.max_ahead ? durationWords(contract.max_ahead) : "not checked"}</Fact>
      </Facts>
      <Panel flush><Table label="Fields" columns={COLUMNS} rows={contract.fields} rowKey={({ name }) => name} /></Panel>
    </>
  );
}
