import { Button, NumberInput, Select, Textarea, TextInput } from "@mantine/core";
import { useState } from "react";
import { useProduce, type Produced } from "../../../api/records";
import type { Stream } from "../../../api/types";
import { HeadersForm } from "./headers-form";
import { ProduceResult } from "./produce-result";
import { emptyRecord, keyWays, recordOf, valueWays, type RecordDraft } from "./record-draft";
import classes from "../stream.module.css";

const MONO = { input: { fontFamily: "var(--mantine-font-family-monospace)" } };

const ABOUT: Readonly<Record<RecordDraft["valueAs"], string>> = {
  json: "Enter JSON; Weir encodes it with the stream's schema",
  text: "Written as is",
  base64: "Decoded and written as bytes",
  null: "",
};

/** One record by hand: its value, key, headers and partition. */
export function RecordForm({ stream }: { stream: Stream }) {
  const produce = useProduce(stream.name);
  const [draft, setDraft] = useState<RecordDraft>(() => emptyRecord(stream.contract));
  const [done, setDone] = useState<Produced | null>(null);
  const change = (part: Partial<RecordDraft>) => {
    setDraft((before) => ({ ...before, ...part }));
  };
  const values = valueWays(stream.contract);
  const keys = keyWays(stream.contract);
  return (
    <form
      className={classes["produce"]}
      onSubmit={(event) => {
        event.preventDefault();
        produce.mutate({ records: [recordOf(draft)], onProgress: setDone });
      }}
    >
      <Select
        label="Value format"
        allowDeselect={false}
        maw={420}
        data={values}
        value={draft.valueAs}
        onChange={(as) => {
          change({ valueAs: values.find(({ value }) => value === as)?.value ?? "text" });
        }}
      />
      {draft.valueAs === "null" ? (
        <p className="soft">
          {stream.kind === "table"
            ? "A null value deletes the row of its key."
            : "An append-only stream needs a value, except for tombstones of change events."}
        </p>
      ) : (
        <Textarea
          label="Value"
          description={ABOUT[draft.valueAs]}
          autosize
          minRows={4}
          maxRows={16}
          value={draft.value}
          onChange={(e) => {
            change({ value: e.currentTarget.value });
          }}
          styles={MONO}
        />
      )}
      <div className={classes["bar"]}>
        <Select
          label="Key format"
          allowDeselect={false}
          data={keys}
          value={draft.keyAs}
          onChange={(as) => {
            change({ keyAs: keys.find(({ value }) => value === as)?.value ?? "null" });
          }}
        />
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
        <NumberInput
          label="Partition"
          description="Leave empty to partition by key"
          min={0}
          max={stream.partitions - 1}
          value={draft.partition ?? ""}
          onChange={(n) => {
            change({ partition: n === "" ? null : Number(n) });
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
      <ProduceResult error={produce.error} done={produce.isSuccess ? done : null} />
    </form>
  );
}
