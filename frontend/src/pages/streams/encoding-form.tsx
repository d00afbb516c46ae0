import { Checkbox, SegmentedControl, Select, Textarea, TextInput } from "@mantine/core";
import { useSubjects } from "../../api/schemas";
import { aboutFormat, FORMATS, isAvro, withFormat, withInner, type EncodingDraft, type TimeStep } from "./encoding-draft";
import classes from "./register.module.css";

const MONO = { input: { fontFamily: "var(--mantine-font-family-monospace)", fontSize: 13 } };

interface EncodingFormProps { draft: EncodingDraft; change: (draft: EncodingDraft) => void }

/** How the bytes of a record's value hold the fields. */
export function EncodingForm({ draft, change }: EncodingFormProps) {
  return (
    <div className={classes["form"]}>
      <div className={classes["row"]}>
        <Select
          label="Records are"
          description={aboutFormat(draft.format)}
          allowDeselect={false}
          maw={560}
          data={FORMATS.map(({ value, label }) => ({ value, label }))}
          value={draft.format}
          onChange={(value) => { change(withFormat(draft, FORMATS.find((one) => one.value === value)?.value ?? "json")); }}
        />
        {draft.format === "debezium" && <ChangeEvents draft={draft} change={change} />}
      </div>
      {draft.format === "csv" && <Csv draft={draft} change={change} />}
      {isAvro(draft) && <AvroSchema draft={draft} change={change} />}
      {draft.format === "json" && <JsonSchema draft={draft} change={change} />}
      {(isAvro(draft) || draft.format === "json" || draft.format === "debezium") && (
        <Checkbox
          label="A schema id stands before each record"
          description="As Confluent's serializers write it: a zero byte, then the id in four bytes"
          checked={draft.framed}
          onChange={(e) => { change({ ...draft, framed: e.currentTarget.checked }); }}
        />
      )}
    </div>
  );
}

const STEPS: readonly { value: TimeStep; label: string }[] = [
  { value: "ms", label: "milliseconds" }, { value: "us", label: "microseconds" }, { value: "ns", label: "nanoseconds" },
];

function ChangeEvents({ draft, change }: EncodingFormProps) {
  return (
    <>
      <Select
        label="Events are written in"
        description="As the connector's converter says"
        allowDeselect={false}
        data={[{ value: "json", label: "JSON" }, { value: "avro", label: "Avro" }]}
        value={draft.inner}
        onChange={(value) => { change(withInner(draft, value === "avro" ? "avro" : "json")); }}
      />
      <Select
        label="Times count"
        description="Usually ms from MySQL, µs from PostgreSQL"
        allowDeselect={false}
        data={[...STEPS]}
        value={draft.timeUnit}
        onChange={(value) => { change({ ...draft, timeUnit: STEPS.find((one) => one.value === value)?.value ?? "us" }); }}
      />
    </>
  );
}

function Csv({ draft, change }: EncodingFormProps) {
  return (
    <>
      <div className={classes["row"]}>
        <TextInput label="Delimiter" description="Between values; paste a tab for tabs" maxLength={1} value={draft.delimiter} onChange={(e) => { change({ ...draft, delimiter: e.currentTarget.value }); }} />
        <TextInput label="Quote" description="Around values that hold the delimiter" maxLength={1} value={draft.quote} onChange={(e) => { change({ ...draft, quote: e.currentTarget.value }); }} />
        <TextInput label="Means null" description="This text without quotes, or nothing at all" maxLength={20} value={draft.nullText} onChange={(e) => { change({ ...draft, nullText: e.currentTarget.value }); }} />
        <Checkbox label="Leave out blanks around values" description="Only of values without quotes" checked={draft.trim} onChange={(e) => { change({ ...draft, trim: e.currentTarget.checked }); }} />
      </div>
      <Textarea label="Columns" description="All of a line in their order, with commas between; those that are no field below are left out. Empty: the fields below are the columns" autosize minRows={1} maxRows={6} maw={720} spellCheck={false} styles={MONO} value={draft.columns} onChange={(e) => { change({ ...draft, columns: e.currentTarget.value }); }} />
    </>
  );
}

function wholeOf({ format }: EncodingDraft): string {
  return format === "debezium" ? "the whole envelope, with before, after and op" : "a record";
}

/** Which schema Avro records have. */
export function AvroSchema({ draft, change, whole = wholeOf(draft) }: EncodingFormProps & { whole?: string }) {
  return (
    <>
      <SegmentedControl
        aria-label="Where the schema is"
        data={[{ value: "subject", label: "A subject of the registry" }, { value: "text", label: "Paste the schema" }]}
        value={draft.schemaFrom}
        onChange={(value) => { change({ ...draft, schemaFrom: value === "text" ? "text" : "subject" }); }}
        style={{ alignSelf: "flex-start" }}
      />
      {draft.schemaFrom === "subject" ? (
        <SubjectChoice draft={draft} change={change} />
      ) : (
        <Textarea
          label="Schema"
          description={`Of ${whole}, as JSON. ${draft.framed ? "Ids before the records are looked up in this workspace's registry." : "Every record must have been written by exactly this schema."}`}
          autosize
          minRows={6}
          maxRows={24}
          spellCheck={false}
          styles={MONO}
          value={draft.schema}
          onChange={(e) => { change({ ...draft, schema: e.currentTarget.value }); }}
        />
      )}
    </>
  );
}

/** Optional: a schema of the registry that every value must fit, beside the fields. */
function JsonSchema({ draft, change }: EncodingFormProps) {
  const subjects = useSubjects();
  const names = new Set([...(subjects.data?.results ?? []).map(({ name }) => name), ...(draft.subject ? [draft.subject] : [])]);
  return (
    <Select
      label="Held to a JSON Schema"
      description={draft.schema && !draft.subject ? "To the schema in the contract; a subject takes its place" : "Of this subject's newest version; values that break it are malformed. Empty: only the fields count"}
      placeholder="None"
      searchable
      clearable
      nothingFoundMessage="No subject of this name"
      data={[...names]}
      value={draft.subject || null}
      onChange={(subject) => { change({ ...draft, subject: subject ?? "", schema: "" }); }}
      maw={560}
    />
  );
}

function SubjectChoice({ draft, change }: EncodingFormProps) {
  const subjects = useSubjects();
  const names = subjects.data?.results.map(({ name }) => name) ?? [];
  const words = subjects.isError
    ? "The registry could not be read; paste the schema instead"
    : subjects.isPending
      ? "Asking the registry"
      : names.length
        ? "Read by its newest version; records of other versions are turned into it"
        : "The registry has no subject yet; register one under Schemas, or paste the schema";
  return (
    <Select
      label="Subject"
      description={words}
      placeholder="By custom the topic's name and -value"
      searchable
      nothingFoundMessage="No subject of this name"
      data={names}
      value={draft.subject || null}
      onChange={(subject) => { change({ ...draft, subject: subject ?? "" }); }}
      maw={420}
    />
  );
}
