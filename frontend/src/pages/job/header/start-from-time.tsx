import { Button, Modal, TextInput } from "@mantine/core";
import { useState } from "react";
import { utcTime, zoneId } from "../../../ui/format/times";
import classes from "./header.module.css";

interface StartFromTimeProps {
  opened: boolean;
  onClose: () => void;
  onStart: (time: string) => void;
}

function localText(at: Date): string {
  const shifted = new Date(at.getTime() - at.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 16);
}

/** Asks for a moment in the person's zone and shows it in UTC as well. */
export function StartFromTime({ opened, onClose, onStart }: StartFromTimeProps) {
  return (
    <Modal opened={opened} onClose={onClose} title={<strong>Start from a time</strong>}>
      <TimeForm onClose={onClose} onStart={onStart} />
    </Modal>
  );
}

/** Proposes an hour before it was opened. */
function TimeForm({ onClose, onStart }: Omit<StartFromTimeProps, "opened">) {
  const [text, setText] = useState(() => localText(new Date(Date.now() - 3_600_000)));
  const at = new Date(text);
  const valid = !Number.isNaN(at.getTime());
  return (
    <form
      className={classes["choices"]}
      onSubmit={(event) => {
        event.preventDefault();
        onStart(at.toISOString());
        onClose();
      }}
    >
      <TextInput
        type="datetime-local"
        label={`Start time (${zoneId()})`}
        description={valid ? utcTime(at) : "Select a date and time"}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
        }}
      />
      <p className="soft">
        Uses the Kafka timestamp, not event time. Windows that opened before the first record are marked
        partial.
      </p>
      <Button type="submit" disabled={!valid}>
        Start
      </Button>
    </form>
  );
}
