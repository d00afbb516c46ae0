import { Button } from "@mantine/core";
import { ApiError } from "../../api/client";
import { useEncodingFields, useInference } from "../../api/streams";
import type { Contract, Inference } from "../../api/types";
import { counted } from "../../ui/format/numbers";
import { Mark } from "../../ui/status";
import { withColumns, type StreamDraft } from "./contract-draft";
import { canSample, encodingOf, isAvro, missingOfEncoding } from "./encoding-draft";
import classes from "./register.module.css";

interface FieldsSourceProps {
  draft: StreamDraft;
  change: (draft: StreamDraft) => void;
  onInferred: (found: Inference) => void;
  /** of a stream that is there already: what its key holds stays */
  contract?: Contract;
}

/** Where the fields can come from, which the format decides: a sample of the topic, the schema, or a person. */
export function FieldsSource(props: FieldsSourceProps) {
  const { encoding } = props.draft;
  if (isAvro(encoding)) return <FromSchema {...props} />;
  if (canSample(encoding)) return <FromSample {...props} />;
  return <p className={classes["looked"]}>{BY_HAND[encoding.format]}</p>;
}

const BY_HAND: Readonly<Record<StreamDraft["encoding"]["format"], string>> = {
  json: "Declare the members of the object. A sample of framed records cannot propose them.",
  avro: "",
  csv: "Declare every column in the order of the line; each value is read as its field's type.",
  text: "A text is one field of type string; give it a name.",
  debezium: "Declare the columns of the table, as they stand in the row after a change.",
};

function FromSample({ draft, onInferred }: FieldsSourceProps) {
  const infer = useInference();
  if (draft.create) return <p className={classes["looked"]}>A new topic has no records to learn from; declare the members of its objects.</p>;
  return (
    <div className={classes["looked"]}>
      <Button variant="default" disabled={!draft.topic} loading={infer.isPending} onClick={() => { infer.mutate({ cluster: draft.cluster, topic: draft.topic }, { onSuccess: onInferred }); }}>
        Find the fields in a sample
      </Button>
      {infer.error && <Refused what="No sample" error={infer.error} otherwise="The topic could not be read." />}
      {infer.data?.fields.length === 0 && <p role="alert">Looked at {counted(infer.data.looked.records, "record")} and found no field. Declare the fields by hand, or choose another format.</p>}
    </div>
  );
}

function FromSchema({ draft, change, contract = { fields: [] } }: FieldsSourceProps) {
  const ask = useEncodingFields();
  const take = () => { ask.mutate(encodingOf(draft.encoding), { onSuccess: ({ fields }) => { change(withColumns(draft, fields, contract)); } }); };
  return (
    <div className={classes["looked"]}>
      <Button variant="default" disabled={missingOfEncoding(draft.encoding) !== null} loading={ask.isPending} onClick={take}>Take the schema's fields</Button>
      {ask.error && <Refused what="No fields" error={ask.error} otherwise="The schema could not be read." />}
      <p>Leave out fields that nobody needs. The types are the schema's; cast in a step.</p>
    </div>
  );
}

function Refused({ what, error, otherwise }: { what: string; error: unknown; otherwise: string }) {
  return <p role="alert"><Mark tone="bad" plain>{what}</Mark> {error instanceof ApiError ? error.message : otherwise}</p>;
}
