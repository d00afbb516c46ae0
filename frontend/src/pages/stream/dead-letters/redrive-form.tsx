import { Button, Modal, Textarea } from "@mantine/core";
import { useState } from "react";
import { ApiError } from "../../../api/client";
import { useRedrive, type Choice } from "../../../api/guards";
import type { Stream } from "../../../api/types";
import { counted } from "../../../ui/format/numbers";
import { Mark } from "../../../ui/status";
import { WhereTo } from "./where-to";
import classes from "../stream.module.css";

interface RedriveFormProps {
  stream: Stream;
  choice: Choice;
  letters: number;
  /** given: the single letter is edited, beginning with this */
  value?: string;
  onClose: () => void;
}

/** Where letters are sent to, how fast, and what instead of a single one. */
export function RedriveForm({ stream, choice, letters, value, onClose }: RedriveFormProps) {
  const redrive = useRedrive(stream.name);
  const [to, setTo] = useState(stream.name);
  const [rate, setRate] = useState(100);
  const [edited, setEdited] = useState(value ?? "");
  const send = () => {
    redrive.mutate({ all: false, ...choice, to: to === stream.name ? null : to, rate, ...(value !== undefined && { value: edited }) }, { onSuccess: onClose });
  };
  const error = redrive.error;
  return (
    <Modal opened onClose={onClose} size="lg" title={<strong>{value === undefined ? `Send ${counted(letters, "letter")} again` : "Edit and send again"}</strong>}>
      <form className={classes["produce"]} onSubmit={(event) => { event.preventDefault(); send(); }}>
        {value === undefined && <p className="soft">Sent byte for byte, each once, with headers that say where they came from. A letter that fails again comes back here, with how often it was sent.</p>}
        {value !== undefined && <Textarea label="Value" description="It is sent when it fits the contract" autosize minRows={4} maxRows={16} value={edited} onChange={(e) => { setEdited(e.currentTarget.value); }} styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }} />}
        <WhereTo stream={stream} to={to} onTo={setTo} rate={rate} {...(letters > 1 && { onRate: setRate })} />
        {error ? <p role="alert"><Mark tone="bad" plain>Not sent</Mark> {error instanceof ApiError ? error.message : "That did not work."}</p> : null}
        <div className={classes["bar"]}>
          <Button type="submit" loading={redrive.isPending}>Send again</Button>
          <Button variant="default" onClick={onClose}>Leave as it is</Button>
        </div>
      </form>
    </Modal>
  );
}
