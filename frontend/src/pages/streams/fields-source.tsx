import { ApiError } from "../../api/client";
import { useEncodingFields, useInference } from "../../api/streams";
import type { Contract, Inference } from "../../api/types";
import { counted } from "../../ui/format/numbers";
import { Badge } from "../../ui/status";
import { withColumns, type StreamDraft } from "./contract-draft";
import { canSample, encodingOf, isAvro, hasJsonSchema, missingOfEncoding } from "./encoding-draft";
import { TakeFields } from "./take-fields";
import classes from "./register.module.css";

interface FieldsSourceProps {
  draft: StreamDraft;
  change: (next: (before: StreamDraft) => StreamDraft) => void;
  onInferred: (found: Inference) => void;
}

/** Where the fields come from, by format: a sample of the topic, the schema, or the user. */
export function FieldsSource(props: FieldsSourceProps) {
  const { encoding, cluster, topic } = props.draft;
  // An answer about another topic or format, or a refusal, is none about this one.
  const key = JSON.stringify([cluster, topic, encoding]);
  if (isAvro(encoding)) return <FromSchema key={key} {...props} />;
  if (hasJsonSchema(encoding))
    return (
      <>
        <FromSchema key={`schema ${key}`} {...props} />
        <FromSample key={`sample ${key}`} {...props} />
      </>
    );
  if (canSample(encoding)) return <FromSample key={key} {...props} />;
  return <p className={classes["note"]}>Plain text has one string field. Name it below.</p>;
}

/** What a sample cannot know, by format. */
const TO_DECLARE: Readonly<Record<StreamDraft["encoding"]["format"], { fields: string; found?: string }>> = {
  json: { fields: "the members of its objects" },
  avro: { fields: "the fields" },
  csv: {
    fields: "every column in the order of the line",
    found: "Lines have no column names. Rename c1, c2 and so on; keep the order and every column.",
  },
  text: { fields: "the one field" },
  debezium: {
    fields: "the table's columns, as in the row after a change",
    found: "Deletions contain no row.",
  },
};

function FromSample({ draft, onInferred }: FieldsSourceProps) {
  const infer = useInference();
  const { fields, found } = TO_DECLARE[draft.encoding.format];
  if (draft.create)
    return <p className={classes["note"]}>New topics have no records; add {fields} manually.</p>;
  return (
    <div className={classes["note"]}>
      <TakeFields
        draft={draft}
        disabled={!draft.topic || missingOfEncoding(draft.encoding) !== null}
        loading={infer.isPending}
        find={(onSuccess: (found: Inference) => void) => {
          infer.mutate(
            { cluster: draft.cluster, topic: draft.topic, encoding: encodingOf(draft.encoding) },
            { onSuccess },
          );
        }}
        onTake={onInferred}
      >
        Infer fields from records
      </TakeFields>
      {infer.error && (
        <Refused what="Couldn't infer fields" error={infer.error} otherwise="Couldn't read the topic." />
      )}
      {infer.data?.fields.length === 0 && (
        <p role="alert">
          No fields found in {counted(infer.data.scan.records, "record")}. Add {fields} manually, or select
          another format.
        </p>
      )}
      {found && infer.data && infer.data.fields.length > 0 && <p>{found}</p>}
    </div>
  );
}

function FromSchema({ draft, change }: FieldsSourceProps) {
  const ask = useEncodingFields();
  return (
    <div className={classes["note"]}>
      <TakeFields
        draft={draft}
        disabled={missingOfEncoding(draft.encoding) !== null}
        loading={ask.isPending}
        find={(onFound: (columns: Contract["fields"]) => void) => {
          ask.mutate(encodingOf(draft.encoding), {
            onSuccess: ({ fields }) => {
              onFound(fields);
            },
          });
        }}
        onTake={(columns) => {
          change((before) => withColumns(before, columns));
        }}
      >
        Import fields from schema
      </TakeFields>
      {ask.error && (
        <Refused what="Couldn't import fields" error={ask.error} otherwise="Couldn't read the schema." />
      )}
      <p>Remove fields you don't need. Change types with a cast step.</p>
    </div>
  );
}

function Refused({ what, error, otherwise }: { what: string; error: unknown; otherwise: string }) {
  return (
    <p role="alert">
      <Badge tone="bad" plain>
        {what}
      </Badge>{" "}
      {error instanceof ApiError ? error.message : otherwise}
    </p>
  );
}
