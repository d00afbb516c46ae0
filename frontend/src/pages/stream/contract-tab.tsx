import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import { Link } from "wouter";
import type { Contract, Stream } from "../../api/types";
import { useMay } from "../../api/workspace-context";
import { DescriptionItem, DescriptionList } from "../../ui/description-list";
import { Icon } from "../../ui/icons";
import { Panel } from "../../ui/page";
import { Table, type Column } from "../../ui/table";
import { durationText, eventTimeText } from "../../ui/labels";
import { useUrlState } from "../../ui/url-state";
import { pathText } from "../../api/source-path";
import { ChangeContract } from "./change-contract";
import { encodingText, kindText, type EncodingText } from "./contract-text";

type Field = Contract["fields"][number];

function columns(contract: Contract): readonly Column<Field>[] {
  const key = contract.key ?? [];
  return [
    { name: "Field", cell: ({ name }) => <strong>{name}</strong> },
    { name: "Type", cell: ({ type }) => <code>{type}</code> },
    ...(key.length || contract.fields.some(({ path }) => path)
      ? [{ name: "Source", cell: (field: Field) => <ReadFrom field={field} keyFields={key} /> }]
      : []),
    {
      name: "Nullable",
      cell: ({ name, nullable }) =>
        nullable !== false && !(contract.kind === "table" && key.includes(name)) ? "Yes" : "No",
    },
  ];
}

function ReadFrom({ field: { name, path }, keyFields }: { field: Field; keyFields: readonly string[] }) {
  const part = keyFields.length > 1 ? `, part ${String(keyFields.indexOf(name) + 1)}` : "";
  return (
    <>
      {path && (
        <>
          <code>{pathText(path)}</code>
          {keyFields.length > 0 && " in "}
        </>
      )}
      {keyFields.includes(name) ? `the key${part}` : (keyFields.length > 0 || !path) && "the value"}
    </>
  );
}

/** What every record must be. */
export function ContractTab({ stream }: { stream: Stream }) {
  const mayEdit = useMay("edit");
  const [edit, setEdit] = useUrlState("edit", "");
  if (edit === "1" && mayEdit)
    return (
      <ChangeContract
        stream={stream}
        onClose={() => {
          setEdit(null);
        }}
      />
    );
  const { contract } = stream;
  return (
    <>
      <ContractDetails contract={contract} />
      <Panel
        title="Fields"
        flush
        aside={
          mayEdit && (
            <Button
              variant="default"
              leftSection={<Icon name="edit" size={14} />}
              onClick={() => {
                setEdit("1");
              }}
            >
              Change
            </Button>
          )
        }
      >
        <Table
          label="Fields"
          columns={columns(contract)}
          rows={contract.fields}
          rowKey={({ name }) => name}
        />
      </Panel>
    </>
  );
}

function ContractDetails({ contract }: { contract: Contract }) {
  const { kind, note } = kindText(contract);
  const value = encodingText(contract.encoding ?? { format: contract.format });
  const key = contract.key ?? [];
  return (
    <DescriptionList>
      <DescriptionItem label="Kind" term="Stream or table" note={note}>
        {kind}
      </DescriptionItem>
      <DescriptionItem label="Format" note={<Notes words={value} />}>
        {value.format}
      </DescriptionItem>
      <DescriptionItem
        label="Key"
        note={
          key.length ? (
            <Notes words={encodingText(contract.key_encoding)} before />
          ) : (
            "no fields are read from it"
          )
        }
      >
        {key.length ? <code>{key.join(", ")}</code> : "none"}
      </DescriptionItem>
      <DescriptionItem
        label="Event time"
        note={
          contract.event_time?.kind === "field"
            ? contract.event_time.on_missing === "kafka_timestamp"
              ? "Kafka timestamp if missing or invalid"
              : "malformed if missing or invalid"
            : undefined
        }
      >
        {eventTimeText(contract.event_time)}
      </DescriptionItem>
      <DescriptionItem
        label="Watermark delay"
        note={contract.delay ? "how late a record may be" : "excluded from watermark"}
      >
        {contract.delay ? durationText(contract.delay) : "none"}
      </DescriptionItem>
      <DescriptionItem label="Max future skew" note="records further in the future are malformed">
        {contract.max_ahead ? durationText(contract.max_ahead) : "not checked"}
      </DescriptionItem>
    </DescriptionList>
  );
}

function Notes({ words, before = false }: { words: EncodingText; before?: boolean }): ReactNode {
  return (
    <>
      {before && `${words.format}, `}
      {words.notes.join("; ")}
      {words.subject && (
        <>
          : <Link href={`/schemas/${encodeURIComponent(words.subject)}`}>{words.subject}</Link>
        </>
      )}
    </>
  );
}
