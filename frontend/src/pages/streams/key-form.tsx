import { Button, Checkbox, MultiSelect, SegmentedControl, Select } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useEncodingFields } from "../../api/streams";
import type { Inference } from "../../api/types";
import { count, counted } from "../../ui/format/numbers";
import { RequestError } from "../../ui/request-error";
import { Term } from "../../ui/term";
import {
  withKeyColumns,
  withKind,
  withVersionBy,
  type Kind,
  type Part,
  type StreamDraft,
} from "./contract-draft";
import { encodingOf, missingOfEncoding, withFormat } from "./encoding-draft";
import { AvroSchema } from "./encoding-form";
import classes from "./register.module.css";

interface KeyFormProps {
  draft: StreamDraft;
  change: (part: Part) => void;
  /** what a sample shows of the keys */
  sampled?: Inference["key"] | null;
}

const KINDS: readonly { value: Kind; label: string }[] = [
  { value: "stream", label: "Stream (append-only)" },
  { value: "table", label: "Table (latest row per key)" },
];

const KEY_FORMATS = [
  { value: "json", label: "JSON (object, array or single value)" },
  { value: "text", label: "Text (one key field)" },
  { value: "avro", label: "Avro" },
] as const;

/** Whether records are facts or the rows of a table, and what their keys hold. */
export function KeyForm({ draft, change, sampled = null }: KeyFormProps) {
  const narrow = useMediaQuery("(max-width: 480px)");
  const names = draft.fields.map(({ name }) => name).filter((name) => name !== "");
  return (
    <div className={classes["form"]}>
      <SegmentedControl
        aria-label="Stream or table"
        data={[...KINDS]}
        value={draft.kind}
        onChange={(kind) => {
          change(withKind(draft, kind === "table" ? "table" : "stream"));
        }}
        orientation={narrow ? "vertical" : "horizontal"}
        style={{ alignSelf: "flex-start" }}
      />
      <div className={classes["row"]}>
        <MultiSelect
          label="Key fields"
          description={
            draft.kind === "table"
              ? "Identify a row; a null value deletes it"
              : "Read from the record key instead of the value; usually none"
          }
          placeholder={draft.key.length ? "" : "None"}
          data={[...new Set([...names, ...draft.key])]}
          value={[...draft.key]}
          onChange={(key) => {
            change({ key });
          }}
          maxValues={16}
        />
        {draft.key.length > 0 && <KeyFormat draft={draft} change={change} />}
        {draft.kind === "table" && (
          <Select
            label="Latest row by"
            description="Which record of a key is the current row"
            allowDeselect={false}
            data={[
              { value: "offset", label: "Offset" },
              { value: "event_time", label: "Event time" },
            ]}
            value={draft.versionBy}
            onChange={(value) => {
              change(withVersionBy(value === "event_time" ? "event_time" : "offset"));
            }}
          />
        )}
      </div>
      {sampled && (
        <p className="soft">
          {sampled.reason}{" "}
          {sampled.present > 0 &&
            sampled.present < sampled.records &&
            `${counted(sampled.present, "record")} of ${count(sampled.records)} have a key. `}
          {sampled.examples.length > 0 && (
            <>
              e.g. <code>{sampled.examples.join(", ")}</code>
            </>
          )}
        </p>
      )}
      {draft.key.length > 0 && <Framing draft={draft} change={change} />}
      {draft.keyEncoding.format === "avro" && <KeySchema draft={draft} change={change} />}
    </div>
  );
}

function KeyFormat({ draft, change }: KeyFormProps) {
  return (
    <Select
      label="Key format"
      description="Format of the record key"
      allowDeselect={false}
      data={[...KEY_FORMATS]}
      value={draft.keyEncoding.format}
      onChange={(value) => {
        change({
          keyEncoding: withFormat(
            draft.keyEncoding,
            KEY_FORMATS.find((one) => one.value === value)?.value ?? "json",
          ),
        });
      }}
    />
  );
}

function Framing({ draft, change }: KeyFormProps) {
  if (draft.keyEncoding.format === "text") return null;
  return (
    <Checkbox
      label={<Term name="Schema ID prefix">Confluent wire format for keys (schema ID prefix)</Term>}
      checked={draft.keyEncoding.framed}
      onChange={(e) => {
        change({ keyEncoding: { ...draft.keyEncoding, framed: e.currentTarget.checked } });
      }}
    />
  );
}

function KeySchema({ draft, change }: KeyFormProps) {
  const ask = useEncodingFields();
  const take = () => {
    const { keyEncoding } = draft;
    ask.mutate(encodingOf(keyEncoding), {
      onSuccess: ({ fields }) => {
        change((before) => (before.keyEncoding === keyEncoding ? withKeyColumns(before, fields) : {}));
      },
    });
  };
  return (
    <>
      <AvroSchema
        draft={draft.keyEncoding}
        change={(keyEncoding) => {
          change({ keyEncoding });
        }}
        content="the key"
      />
      <div>
        <Button
          variant="default"
          disabled={missingOfEncoding(draft.keyEncoding) !== null}
          loading={ask.isPending}
          onClick={take}
        >
          Import key fields
        </Button>
        <RequestError what="Couldn't import fields" error={ask.error} />
      </div>
    </>
  );
}
