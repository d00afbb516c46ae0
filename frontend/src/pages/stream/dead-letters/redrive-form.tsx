import { Button } from "@mantine/core";
import { useState } from "react";
import { useRedrive, type Selection } from "../../../api/dead-letters";
import type { Stream } from "../../../api/types";
import { counted } from "../../../ui/format/numbers";
import { heldOpen, OpenDialog } from "../../../ui/open-dialog";
import { RequestError } from "../../../ui/request-error";
import { RedriveTarget } from "./redrive-target";
import classes from "../stream.module.css";

interface RedriveFormProps {
  stream: Stream;
  choice: Selection;
  deadLetters: number;
  onClose: () => void;
}

/** Target stream and rate of a redrive. */
export function RedriveForm({ stream, choice, deadLetters, onClose }: RedriveFormProps) {
  const redrive = useRedrive(stream.name);
  const [to, setTo] = useState(stream.name);
  const [rate, setRate] = useState(100);
  const send = () => {
    redrive.mutate(
      { all: false, ...choice, to: to === stream.name ? null : to, rate },
      { onSuccess: onClose },
    );
  };
  const error = redrive.error;
  return (
    <OpenDialog
      onClose={onClose}
      {...heldOpen(redrive.isPending)}
      size="lg"
      title={<strong>Redrive {counted(deadLetters, "record")}</strong>}
    >
      <form
        className={classes["produce"]}
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <p className="soft">Sent unchanged, with origin headers. Records that fail again return here.</p>
        <RedriveTarget
          stream={stream}
          to={to}
          onTo={setTo}
          rate={rate}
          {...(deadLetters > 1 && { onRate: setRate })}
        />
        <RequestError what="Couldn't redrive" error={error} />
        <div className={classes["bar"]}>
          <Button type="submit" loading={redrive.isPending}>
            Redrive
          </Button>
          <Button variant="default" disabled={redrive.isPending} onClick={onClose}>
            Cancel
          </Button>
        </div>
      </form>
    </OpenDialog>
  );
}
