import { Button } from "@mantine/core";
import { useState } from "react";
import type { Selection } from "../../../api/dead-letters";
import type { Stream } from "../../../api/types";
import { DiscardForm } from "./discard-form";
import { BulkEdit } from "./bulk-edit";
import { RedriveForm } from "./redrive-form";
import classes from "../stream.module.css";

interface BulkActionsProps {
  stream: Stream;
  choice: Selection;
  deadLetters: number;
  words: { send: string; edit: string; drop: string };
}

/** Actions for several dead letters at once. */
export function BulkActions({ stream, choice, deadLetters, words }: BulkActionsProps) {
  const [openForm, setOpenForm] = useState<"redrive" | "edit" | "drop" | null>(null);
  const close = () => {
    setOpenForm(null);
  };
  return (
    <>
      <span className={classes["bar"]}>
        <Button
          variant="default"
          onClick={() => {
            setOpenForm("redrive");
          }}
        >
          {words.send}
        </Button>
        <Button
          variant="default"
          onClick={() => {
            setOpenForm("edit");
          }}
        >
          {words.edit}
        </Button>
        <Button
          variant="default"
          onClick={() => {
            setOpenForm("drop");
          }}
        >
          {words.drop}
        </Button>
      </span>
      {openForm === "redrive" && (
        <RedriveForm stream={stream} choice={choice} deadLetters={deadLetters} onClose={close} />
      )}
      {openForm === "edit" && (
        <BulkEdit stream={stream} choice={choice} deadLetters={deadLetters} onClose={close} />
      )}
      {openForm === "drop" && (
        <DiscardForm stream={stream} choice={choice} deadLetters={deadLetters} onClose={close} />
      )}
    </>
  );
}
