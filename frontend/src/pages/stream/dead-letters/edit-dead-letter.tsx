import { Button, Modal, Select, Textarea } from "@mantine/core";
import { useState } from "react";
import { ApiError } from "../../../api/client";
import { useRedrive } from "../../../api/dead-letters";
import type { Stream, DeadLetterDetail } from "../../../api/types";
import { Badge } from "../../../ui/status";
import { HeadersForm } from "../produce/headers-form";
import { keyWays, valueWays, type RecordDraft } from "../produce/record-draft";
import { isBare, deadLetterDraft, replacement } from "./dead-letter-draft";
import { RedriveTarget } from "./redrive-target";
import classes from "../stream.module.css";

const MONO = { input: { fontFamily: "var(--mantine-font-family-monospace)" } };

/** Edits the value, key or headers of one dead letter and redrives it when it is valid. */
export function EditDeadLetter({
  stream,
  deadLetter,
  onClose,
}: {
  stream: Stream;
  deadLetter: DeadLetterDetail;
  onClose: () => void;
}) {
  const redrive = useRedrive(stream.name);
  const [to, setTo] = useState(stream.name);
  const [draft, setDraft] = useState<RecordDraft>(() => deadLetterDraft(deadLetter, stream.contract));
  const change = (part: Partial<RecordDraft>) => {
    setDraft((before) => ({ ...before, ...part }));
  };
  const values = valueWays(stream.contract);
  const keys = keyWays(stream.contract);
  const send = () => {
    redrive.mutate(
      {
        all: false,
        ids: [deadLetter.id],
        to: to === stream.name ? null : to,
        rate: 100,
        record: replacement(draft, deadLetter, stream.contract),
      },
      { onSuccess: onClose },
    );
  };
  return (
    <Modal opened onClose={onClose} size="lg" title={<strong>Edit and redrive</strong>}>
      <form
        className={classes["produce"]}
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <p className="soft">
          Sent when it matches the contract. Unchanged parts are sent as is.
          {isBare(deadLetter, stream.contract) &&
            " The original value is plain text; as JSON it is encoded with the stream's schema."}
        </p>
        <Select
          label="Value format"
          allowDeselect={false}
          data={values}
          value={draft.valueAs}
          onChange={(as) => {
            change({ valueAs: values.find(({ value }) => value === as)?.value ?? draft.valueAs });
          }}
        />
        {draft.valueAs !== "null" && (
          <Textarea
            label="Value"
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
        <Select
          label="Key format"
          allowDeselect={false}
          data={keys}
          value={draft.keyAs}
          onChange={(as) => {
            change({ keyAs: keys.find(({ value }) => value === as)?.value ?? draft.keyAs });
          }}
        />
        {draft.keyAs !== "null" && (
          <Textarea
            label="Key"
            description="A different key can change the partition"
            autosize
            minRows={1}
            maxRows={6}
            value={draft.key}
            onChange={(e) => {
              change({ key: e.currentTarget.value });
            }}
            styles={MONO}
          />
        )}
        <HeadersForm
          headers={draft.headers}
          onChange={(headers) => {
            change({ headers });
          }}
        />
        <RedriveTarget stream={stream} to={to} onTo={setTo} rate={100} />
        {redrive.error ? (
          <p role="alert">
            <Badge tone="bad" plain>
              Couldn't redrive
            </Badge>{" "}
            {redrive.error instanceof ApiError ? redrive.error.message : "Something went wrong. Try again."}
          </p>
        ) : null}
        <div className={classes["bar"]}>
          <Button type="submit" loading={redrive.isPending}>
            Redrive
          </Button>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
        </div>
      </form>
    </Modal>
  );
}
