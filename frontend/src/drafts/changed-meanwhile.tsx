import { Button } from "@mantine/core";
import { useState } from "react";
import { Confirm } from "../ui/confirm";
import { Panel } from "../ui/page";
import { Badge } from "../ui/status";
import { LineDiff } from "./line-diff-view";
import type { SharedDraft } from "./use-shared-draft";
import classes from "./drafts.module.css";

interface ChangedMeanwhileProps<T> {
  draft: SharedDraft<T>;
  /** what was saved: "dashboard"; of versions "version 2" */
  what: string;
  /** for the comparison; left out, there is nothing to compare */
  textOf?: (value: T) => string;
  /** goes on from what was saved, where that can be undone; left out, it asks first */
  onTakeTheirs?: () => void;
}

/** Somebody saved what is edited here: the draft stays, and its author chooses. */
export function ChangedMeanwhile<T>({ draft, what, textOf, onTakeTheirs }: ChangedMeanwhileProps<T>) {
  const [isCompared, setCompared] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const { newer, original, value } = draft;
  if (!newer) return null;
  const close = () => {
    setAsking(false);
  };
  return (
    <Panel>
      <div className={classes["notice"]} role="status">
        <p>
          <Badge tone="warn" plain>
            {savedText(what, newer.by)}
          </Badge>{" "}
          Your draft is unchanged. Choose what to continue with before you save.
        </p>
        <span className={classes["actions"]}>
          {textOf && (
            <Button
              variant="default"
              aria-expanded={isCompared}
              onClick={() => {
                setCompared(!isCompared);
              }}
            >
              {isCompared ? "Hide changes" : "Compare"}
            </Button>
          )}
          <Button
            variant="default"
            onClick={() => {
              if (onTakeTheirs) onTakeTheirs();
              else setAsking(true);
            }}
          >
            Use saved {what}
          </Button>
          <Button variant="default" onClick={draft.keepMine}>
            Keep my draft
          </Button>
        </span>
      </div>
      {isCompared && textOf && (
        <div className={classes["compared"]}>
          <p>Saved meanwhile</p>
          <LineDiff before={textOf(original.value)} after={textOf(newer.value)} label="What was saved" />
          <p>What saving your draft over it changes</p>
          <LineDiff before={textOf(newer.value)} after={textOf(value)} label="What your draft changes" />
        </div>
      )}
      <Confirm
        opened={isAsking}
        title={`Use saved ${what}?`}
        verb="Discard my draft"
        onClose={close}
        onConfirm={() => {
          close();
          draft.takeTheirs();
        }}
      >
        <p>Your unsaved changes are lost. What was saved isn&apos;t affected. This can&apos;t be undone.</p>
      </Confirm>
    </Panel>
  );
}

/** "Version 2 was saved meanwhile by ann" */
export function savedText(what: string, by: string): string {
  const name = what.charAt(0).toUpperCase() + what.slice(1);
  return `${name} was saved meanwhile${by ? ` by ${by}` : ""}`;
}
