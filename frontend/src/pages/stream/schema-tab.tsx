import { Button } from "@mantine/core";
import { useState } from "react";
import type { Contract, Stream } from "../../api/types";
import { useMay } from "../../api/workspace";
import { Fact, Facts } from "../../ui/facts";
import { Icon } from "../../ui/icons";
import { Panel } from "../../ui/page";
import { Table, type Column } from "../../ui/table";
import { durationWords, eventTimeWords } from "../../ui/words";
import { ChangeContract } from "./change-contract";

const COLUMNS: readonly Column<Contract["fields"][number]>[] = [
  { name: "Field", cell: ({ name }) => <strong>{name}</strong> },
  { name: "Type", cell: ({ type }) => <code>{type}</code> },
  { name: "May be missing", cell: ({ nullable }) => (nullable !== false ? "yes, or null" : "no: the record would be malformed") },
];

export function SchemaTab({ stream }: { stream: Stream }) {
  const { contract } = stream;
  const mayEdit = useMay("editor");
  const [changing, setChanging] = useState(false);
  return (
    <>
      <Facts>
        <Fact label="Format">{(contract.format ?? "json").toUpperCase()}</Fact>
        <Fact label="Event time" note={contract.event_time?.on_missing === "append" ? "arrival where it is missing" : "records without it are malformed"}>{eventTimeWords(contract.event_time)}</Fact>
        <Fact label="Allowed delay" note="the watermark trails the newest event time by this">{durationWords(contract.delay)}</Fact>
        <Fact label="Largest lead" note="further ahead of arrival is malformed">{contract.max_ahead ? durationWords(contract.max_ahead) : "not checked"}</Fact>
      </Facts>
      {changing ? <ChangeContract stream={stream} onClose={() => { setChanging(false); }} /> : <Panel title="Fields" flush aside={mayEdit && <Button variant="default" leftSection={<Icon name="edit" size={14} />} onClick={() => { setChanging(true); }}>Change</Button>}><Table label="Fields" columns={COLUMNS} rows={contract.fields} rowKey={({ name }) => name} /></Panel>}
    </>
  );
}
