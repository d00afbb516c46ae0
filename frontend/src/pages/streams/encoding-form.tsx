import { Checkbox, SegmentedControl, Select, Textarea, TextInput } from "@mantine/core";
import { useSubjects } from "../../api/schemas";
import {
  aboutFormat,
  FORMATS,
  isAvro,
  withFormat,
  withInner,
  type EncodingDraft,
  type TimeStep,
} from "./encoding-draft";
import classes from "./register.module.css";
import { Term } from "../../ui/term";

const MONO = { input: { fontFamily: "var(--mantine-font-family-monospace)", fontSize: 13 } };

interface EncodingFormProps {
  draft: EncodingDraft;
  change: (draft: EncodingDraft) => void;
}

/** How the bytes of a record's value hold the fields. */
export function EncodingForm({ draft, change }: EncodingFormProps) {
  return (
    <div className={classes["form"]}>
      <div className={classes["row"]}>
        <Select
          label="Value format"
          description={aboutFormat(draft.format)}
          allowDeselect={false}
          maw={560}
          data={FORMATS.map(({ value, label }) => ({ value, label }))}
          value={draft.format}
          onChange={(value) => {
            change(withFormat(draft, FORMATS.find((one) => one.value === value)?.value ?? "json"));
          }}
        />
        {draft.format === "debezium" && <ChangeEvents draft={draft} change={change} />}
      </div>
      {draft.format === "csv" && <Csv draft={draft} change={change} />}
      {isAvro(draft) && <AvroSchema draft={draft} change={change} />}
      {draft.format === "json" && <JsonSchema draft={draft} change={change} />}
      {(isAvro(draft) || draft.format === "json" || draft.format === "debezium") && (
        <Checkbox
          label={<Term name="Schema ID prefix">Confluent wire format (schema ID prefix)</Term>}
          description="A zero byte and a 4-byte schema ID before each value"
          checked={draft.framed}
          onChange={(e) => {
            change({ ...draft, framed: e.currentTarget.checked });
          }}
        />
      )}
    </div>
  );
}

const STEPS: readonly { value: TimeStep; label: string }[] = [
  { value: "ms", label: "milliseconds" },
  { value: "us", label: "microseconds" },
  { value: "ns", label: "nanoseconds" },
];

function ChangeEvents({ draft, change }: EncodingFormProps) {
  return (
    <>
      <Select
        label="Event encoding"
        description="As set in the connector's converter"
        allowDeselect={false}
        data={[
          { value: "json", label: "JSON" },
          { value: "avro", label: "Avro" },
        ]}
        value={draft.inner}
        onChange={(value) => {
          change(withInner(draft, value === "avro" ? "avro" : "json"));
        }}
      />
      <Select
        label="Timestamp unit"
        description="Usually ms from MySQL, µs from PostgreSQL"
        allowDeselect={false}
        data={[...STEPS]}
        value={draft.timeUnit}
        onChange={(value) => {
          change({ ...draft, timeUnit: STEPS.find((one) => one.value === value)?.value ?? "us" });
        }}
      />
    </>
  );
}

function Csv({ draft, change }: EncodingFormProps) {
  return (
    <>
      <div className={classes["row"]}>
        <TextInput
          label="Delimiter"
          description="Separates values; paste a tab for tabs"
          maxLength={1}
          value={draft.delimiter}
          onChange={(e) => {
            change({ ...draft, delimiter: e.currentTarget.value });
          }}
        />
        <TextInput
          label="Quote"
          description="Encloses values that contain the delimiter"
          maxLength={1}
          value={draft.quote}
          onChange={(e) => {
            change({ ...draft, quote: e.currentTarget.value });
          }}
        />
        <TextInput
          label="Null value"
          description="Unquoted text read as null; leave blank for empty values"
          maxLength={20}
          value={draft.nullText}
          onChange={(e) => {
            change({ ...draft, nullText: e.currentTarget.value });
          }}
        />
        <Checkbox
          label="Trim whitespace"
          description="Unquoted values only"
          checked={draft.trim}
          onChange={(e) => {
            change({ ...draft, trim: e.currentTarget.checked });
          }}
        />
      </div>
      <Textarea
        label="Columns"
        description="All columns in order, comma-separated. Leave empty to use the fields below"
        autosize
        minRows={1}
        maxRows={6}
        maw={720}
        spellCheck={false}
        styles={MONO}
        value={draft.columns}
        onChange={(e) => {
          change({ ...draft, columns: e.currentTarget.value });
        }}
      />
    </>
  );
}

function contentOf({ format }: EncodingDraft): string {
  return format === "debezium" ? "the whole envelope (before, after and op)" : "a record";
}

/** Which schema Avro records have. */
export function AvroSchema({
  draft,
  change,
  content = contentOf(draft),
}: EncodingFormProps & { content?: string }) {
  return (
    <>
      <SegmentedControl
        aria-label="Schema source"
        data={[
          { value: "subject", label: "Schema registry subject" },
          { value: "text", label: "Paste schema" },
        ]}
        value={draft.schemaFrom}
        onChange={(value) => {
          change({ ...draft, schemaFrom: value === "text" ? "text" : "subject" });
        }}
        style={{ alignSelf: "flex-start" }}
      />
      {draft.schemaFrom === "subject" ? (
        <SubjectChoice draft={draft} change={change} />
      ) : (
        <Textarea
          label="Schema"
          description={`Schema of ${content}, as JSON. ${
            draft.framed
              ? "Schema IDs are looked up in this workspace's registry."
              : "Every record must be written with exactly this schema."
          }`}
          autosize
          minRows={6}
          maxRows={24}
          spellCheck={false}
          styles={MONO}
          value={draft.schema}
          onChange={(e) => {
            change({ ...draft, schema: e.currentTarget.value });
          }}
        />
      )}
    </>
  );
}

/** Optional: a schema of the registry that every value must fit, beside the fields. */
function JsonSchema({ draft, change }: EncodingFormProps) {
  const subjects = useSubjects();
  const names = new Set([
    ...(subjects.data?.results ?? []).map(({ name }) => name),
    ...(draft.subject ? [draft.subject] : []),
  ]);
  return (
    <Select
      label="Validate against JSON Schema"
      description={
        draft.schema && !draft.subject
          ? "Uses the schema in the contract; a subject replaces it"
          : "Uses the subject's latest version. Leave empty to check the fields only"
      }
      placeholder="None"
      searchable
      clearable
      nothingFoundMessage="No matching subjects"
      data={[...names]}
      value={draft.subject || null}
      onChange={(subject) => {
        change({ ...draft, subject: subject ?? "", schema: "" });
      }}
      maw={560}
    />
  );
}

function SubjectChoice({ draft, change }: EncodingFormProps) {
  const subjects = useSubjects();
  const names = subjects.data?.results.map(({ name }) => name) ?? [];
  const words = subjects.isError
    ? "Couldn't load subjects; paste the schema instead"
    : subjects.isPending
      ? "Loading subjects…"
      : names.length
        ? "Uses the latest version; records of other versions are converted"
        : "No subjects yet. Register one under Schemas, or paste the schema";
  return (
    <Select
      label={<Term>Subject</Term>}
      description={words}
      placeholder="e.g. orders-value"
      searchable
      nothingFoundMessage="No matching subjects"
      data={names}
      value={draft.subject || null}
      onChange={(subject) => {
        change({ ...draft, subject: subject ?? "" });
      }}
      maw={420}
    />
  );
}
