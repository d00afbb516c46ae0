import { Button, Textarea } from "@mantine/core";
import { useState } from "react";
import { useRedrive } from "../../../api/dead-letters";
import type { Stream, DeadLetterDetail } from "../../../api/types";
import { useLeave } from "../../../drafts/discard-draft";
import { HeadersForm } from "../produce/headers-form";
import type { RecordDraft } from "../produce/record-draft";
import { KeyFormat, MONO, ValueFormat, ValueInput } from "../produce/record-inputs";
import { isBare, deadLetterDraft, replacement } from "./dead-letter-draft";
import { RedriveTarget } from "./redrive-target";
import { heldOpen, OpenDialog } from "../../../ui/open-dialog";
import { RequestError } from "../../../ui/request-error";
import classes from "../stream.module.css";

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
  const [first] = useState<RecordDraft>(() => deadLetterDraft(deadLetter, stream.contract));
  const [draft, setDraft] = useState(first);
  const isChanged = JSON.stringify(draft) !== JSON.stringify(first);
  const { leave, question } = useLeave(isChanged, onClose, "The dead letter isn't affected.");
  const change = (part: Partial<RecordDraft>) => {
    setDraft((before) => ({ ...before, ...part }));
  };
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
    <OpenDialog
      onClose={leave}
      {...heldOpen(redrive.isPending)}
      size="lg"
      title={<strong>Edit and redrive</strong>}
    >
      {question}
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
        <ValueFormat contract={stream.contract} draft={draft} change={change} />
        {draft.valueAs !== "null" && <ValueInput draft={draft} change={change} />}
        <KeyFormat contract={stream.contract} draft={draft} change={change} />
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
        <RequestError what="Couldn't redrive" error={redrive.error} />
        <div className={classes["bar"]}>
          <Button type="submit" loading={redrive.isPending}>
            Redrive
          </Button>
          <Button variant="default" disabled={redrive.isPending} onClick={leave}>
            Cancel
          </Button>
        </div>
      </form>
    </OpenDialog>
  );
}
