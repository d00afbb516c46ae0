import { Button } from "@mantine/core";
import { useState, type ReactNode } from "react";
import { Link } from "wouter";
import type { Contract, Stream } from "../../api/types";
import { useHasRole } from "../../api/workspace-context";
import { DescriptionItem, DescriptionList } from "../../ui/description-list";
import { Icon } from "../../ui/icons";
import { Panel } from "../../ui/page";
import { Table, type Column } from "../../ui/table";
import { durationText, eventTimeText } from "../../ui/labels";
import { pathText } from "../../api/source-path";
import { ChangeContract } from "./change-contract";
import { encodingText, kindText, type EncodingText } from "./contract-text";

type Field = Contract["fields"][number];

function columns(contract: Contract): readonly Column<Field>[] {
  const key = contract.key ?? [];
  return [
    { name: "Field", cell: ({ name }) => <strong>{name}</strong> },
    { name: "Type", cell: ({ type }) => <code>{type}</code> },
    ...(key.length || contract.fields.some(({ path }) => path) ? [{ name: "Read from", cell: (field: Field) => <ReadFrom field={field} keyFields={key} /> }] : []),
    { name: "May be missing", cell: ({ name, nullable }) => (nullable !== false && !(contract.kind === "table" && key.includes(name)) ? "yes, or null" : "no: the record would be malformed") },
  ];
}

function ReadFrom({ field: { name, path }, keyFields }: { field: Field; keyFields: readonly string[] }) {
  const part = keyFields.length > 1 ? `, part ${String(keyFields.indexOf(name) + 1)}` : "";
  return <>{path && <><code>{pathText(path)}</code>{keyFields.length > 0 && " in "}</>}{keyFields.includes(name) ? `the key${part}` : (keyFields.length > 0 || !path) && "the value"}</>;
}

/** What every record must be. */
export function SchemaTab({ stream }: { stream: Stream }) {
  const mayEdit = useHasRole("editor");
  const [changing, setChanging] = useState(false);
  if (changing) return <ChangeContract stream={stream} onClose={() => { setChanging(false); }} />;
  const { contract } = stream;
  return (
    <>
      <ContractDetails contract={contract} />
      <Panel title="Fields" flush aside={mayEdit && <Button variant="default" leftSection={<Icon name="edit" size={14} />} onClick={() => { setChanging(true); }}>Change</Button>}><Table label="Fields" columns={columns(contract)} rows={contract.fields} rowKey={({ name }) => name} /></Panel>
    </>
  );
}

function ContractDetails({ contract }: { contract: Contract }) {
  const { kind, note } = kindText(contract);
  const value = encodingText(contract.encoding ?? { format: contract.format });
  const key = contract.key ?? [];
  return (
    <DescriptionList>
      <DescriptionItem label="Kind" note={note}>{kind}</DescriptionItem>
      <DescriptionItem label="Format" note={<Notes words={value} />}>{value.format}</DescriptionItem>
      <DescriptionItem label="Key" note={key.length ? <Notes words={encodingText(contract.key_encoding)} before /> : "no field is read from it"}>{key.length ? <code>{key.join(", ")}</code> : "free"}</DescriptionItem>
      <DescriptionItem label="Event time" note={contract.event_time?.kind === "field" ? (contract.event_time.on_missing === "kafka_timestamp" ? "arrival where it is missing" : "records without it are malformed") : undefined}>{eventTimeText(contract.event_time)}</DescriptionItem>
      <DescriptionItem label="Allowed delay" note={contract.delay ? "the watermark trails the newest event time by this" : "the table takes no part in the watermark"}>{contract.delay ? durationText(contract.delay) : "none"}</DescriptionItem>
      <DescriptionItem label="Largest lead" note="further ahead of arrival is malformed">{contract.max_ahead ? durationText(contract.max_ahead) : "not checked"}</DescriptionItem>
    </DescriptionList>
  );
}

function Notes({ words, before = false }: { words: EncodingText; before?: boolean }): ReactNode {
  return <>{before && `${words.format}, `}{words.notes.join("; ")}{words.subject && <>: <Link href={`/schemas/${encodeURIComponent(words.subject)}`}>{words.subject}</Link></>}</>;
}
