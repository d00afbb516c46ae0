import { Button } from "@mantine/core";
import type { Selection } from "../../../api/dead-letters";
import { useOpenForm } from "./open-form";
import classes from "../stream.module.css";

interface BulkActionsProps {
  choice: Selection;
  deadLetters: number;
  words: { send: string; edit: string; drop: string };
}

/** Actions for several dead letters at once. */
export function BulkActions({ choice, deadLetters, words }: BulkActionsProps) {
  const open = useOpenForm();
  return (
    <span className={classes["bar"]}>
      <Button
        variant="default"
        onClick={() => {
          open({ kind: "redrive", choice, deadLetters });
        }}
      >
        {words.send}
      </Button>
      <Button
        variant="default"
        onClick={() => {
          open({ kind: "edit", choice, deadLetters });
        }}
      >
        {words.edit}
      </Button>
      <Button
        variant="default"
        onClick={() => {
          open({ kind: "discard", choice, deadLetters });
        }}
      >
        {words.drop}
      </Button>
    </span>
  );
}
