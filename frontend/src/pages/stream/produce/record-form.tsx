import { Button, TextInput } from "@mantine/core";
import { useState } from "react";
import { useProduce } from "../../../api/records";
import type { Stream } from "../../../api/types";
import type { Produced } from "../../../api/uploads";
import { OptionalNumber } from "../../../ui/number-field";
import { HeadersForm } from "./headers-form";
import { ProduceResult } from "./produce-result";
import { emptyRecord, recordOf, type RecordDraft } from "./record-draft";
import { KeyFormat, MONO, ValueFormat, ValueInput } from "./record-inputs";
import classes from "../stream.module.css";

const ABOUT: Readonly<Record<RecordDraft["valueAs"], string>> = {
  json: "Enter JSON; Weir encodes it with the stream's schema",
  text: "Written as is",
  base64: "Decoded and written as bytes",
  null: "",
};

/** One record by hand: its value, key, headers and partition. */
export function RecordForm({ stream }: { stream: Stream }) {
  const produce = useProduce(stream);
  const [draft, setDraft] = useState<RecordDraft>(() => emptyRecord(stream.contract));
  const [done, setDone] = useState<Produced | null>(null);
  const change = (part: Partial<RecordDraft>) => {
    setDraft((before) => ({ ...before, ...part }));
  };
  return (
    <form
      className={classes["produce"]}
      onSubmit={(event) => {
        event.preventDefault();
        setDone(null);
        produce.mutate({ records: [recordOf(draft)], onProgress: setDone });
      }}
    >
      <ValueFormat contract={stream.contract} draft={draft} change={change} />
      {draft.valueAs === "null" ? (
        <p className="soft">
          {stream.kind === "table"
            ? "A null value deletes the row of its key."
            : "An append-only stream needs a value, except for tombstones of change events."}
        </p>
      ) : (
        <ValueInput draft={draft} change={change} about={ABOUT[draft.valueAs]} />
      )}
      <div className={classes["bar"]}>
        <KeyFormat contract={stream.contract} draft={draft} change={change} />
        {draft.keyAs !== "null" && (
          <TextInput
            label="Key"
            value={draft.key}
            onChange={(e) => {
              change({ key: e.currentTarget.value });
            }}
            className={classes["wide"] ?? ""}
            {...(draft.keyAs !== "text" && { styles: MONO })}
          />
        )}
        <OptionalNumber
          label="Partition"
          description="Leave empty to partition by key"
          min={0}
          max={stream.partitions - 1}
          value={draft.partition}
          onChange={(partition) => {
            change({ partition });
          }}
        />
      </div>
      <HeadersForm
        headers={draft.headers}
        onChange={(headers) => {
          change({ headers });
        }}
      />
      <div>
        <Button type="submit" loading={produce.isPending}>
          Produce record
        </Button>
      </div>
      <ProduceResult error={produce.error} done={produce.isPending ? null : done}>
        {done && done.unsure.length > 0 && <p>Look for it under Records before you send it again.</p>}
      </ProduceResult>
    </form>
  );
}
