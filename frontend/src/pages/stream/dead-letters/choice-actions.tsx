import { Button } from "@mantine/core";
import { useState } from "react";
import type { Choice } from "../../../api/guards";
import type { Stream } from "../../../api/types";
import { DropForm } from "./drop-form";
import { EditGroup } from "./edit-group";
import { RedriveForm } from "./redrive-form";
import classes from "../stream.module.css";

interface ChoiceActionsProps {
  stream: Stream;
  choice: Choice;
  letters: number;
  words: { send: string; edit: string; drop: string };
}

/** What can be done with several letters at once. */
export function ChoiceActions({ stream, choice, letters, words }: ChoiceActionsProps) {
  const [asked, setAsked] = useState<"redrive" | "edit" | "drop" | null>(null);
  const close = () => { setAsked(null); };
  return (
    <>
      <span className={classes["bar"]}>
        <Button variant="default" onClick={() => { setAsked("redrive"); }}>{words.send}</Button>
        <Button variant="default" onClick={() => { setAsked("edit"); }}>{words.edit}</Button>
        <Button variant="default" onClick={() => { setAsked("drop"); }}>{words.drop}</Button>
      </span>
      {asked === "redrive" && <RedriveForm stream={stream} choice={choice} letters={letters} onClose={close} />}
      {asked === "edit" && <EditGroup stream={stream} choice={choice} letters={letters} onClose={close} />}
      {asked === "drop" && <DropForm stream={stream} choice={choice} letters={letters} onClose={close} />}
    </>
  );
}
