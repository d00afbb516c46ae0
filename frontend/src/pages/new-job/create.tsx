import { Button, NativeSelect } from "@mantine/core";
import { useState } from "react";
import { Link, useLocation } from "wouter";
import { ApiError } from "../../api/client";
import { useCreateJob } from "../../api/jobs";
import type { Job, StartRequest } from "../../api/types";
import { graphOf } from "../../composer/drawing/graph";
import { movesOf, type Moves, type PositionsByDirection } from "../../composer/drawing/positions";
import { readOutline } from "../../composer/outline";
import { useDocument } from "../../composer/use-document";
import type { View } from "../../composer/view";
import { Badge } from "../../ui/status";
import { StartFromTime } from "../job/header/start-from-time";
import { JobName } from "./job-name";

interface CreateProps {
  text: string;
  /** of the draft's drawing; the job gets them */
  positions: PositionsByDirection;
  /** the view shows this text's document */
  isShown: boolean;
  /** in which it is made */
  view: View;
  /** of the name in a drawing */
  onText: (text: string) => void;
  /** @returns where the job is shown */
  onCreated: (job: Job, sent: string) => string;
}

type Choice = "now" | "earliest" | "time" | "none";

/** How a job begins, as the start menu of a job offers it. */
const CHOICES: readonly { value: Choice; label: string }[] = [
  { value: "now", label: "Start from now, new records only" },
  { value: "earliest", label: "Start from the earliest record" },
  { value: "time", label: "Start from a time…" },
  { value: "none", label: "Don't start yet" },
];

/** The positions of the document's nodes. A draft keeps those of names that it had before, too. */
function positionsIn(text: string, positions: PositionsByDirection): Moves {
  const reading = readOutline(text);
  const nodes = "unsupported" in reading ? [] : graphOf(reading.outline).nodes.map(({ id }) => id);
  return movesOf(positions, (id) => nodes.includes(id));
}

/** Creates the job and starts it where it is to begin. */
export function Create({ text, positions, isShown, view, onText, onCreated }: CreateProps) {
  const { ready, problems } = useDocument(text);
  const create = useCreateJob();
  const [choice, setChoice] = useState<Choice>("now");
  const [choosing, setChoosing] = useState(false);
  const [, navigate] = useLocation();
  const submit = (start: StartRequest | null) => {
    create.mutate(
      { document: text, drawing: positionsIn(text, positions), view, start },
      {
        onSuccess: ({ job, refused }) => {
          const address = onCreated(job, text);
          if (refused === null) navigate(address);
        },
      },
    );
  };
  const unstarted = create.data?.refused === null ? undefined : create.data;
  return (
    <>
      {create.error && (
        <span role="alert">
          <Badge tone="bad" plain>
            {create.error instanceof ApiError ? create.error.message : "Couldn't create the job"}
          </Badge>
        </span>
      )}
      {unstarted && (
        <span role="alert">
          <Badge tone="warn" plain>
            Created, but not started: {unstarted.refused}
          </Badge>{" "}
          <Link href={`/jobs/${unstarted.job.id}`}>{unstarted.job.name}</Link>
        </span>
      )}
      {view === "drawing" && <JobName text={text} problems={problems} onChange={onText} />}
      <NativeSelect
        size="xs"
        aria-label="Start"
        data={CHOICES}
        value={choice}
        onChange={(event) => {
          setChoice(event.currentTarget.value as Choice);
        }}
      />
      <Button
        disabled={!(ready && isShown)}
        loading={create.isPending}
        onClick={() => {
          if (choice === "time") setChoosing(true);
          else submit(choice === "none" ? null : { from: choice });
        }}
      >
        Create job
      </Button>
      <StartFromTime
        opened={choosing}
        onClose={() => {
          setChoosing(false);
        }}
        onStart={(time) => {
          submit({ from: "time", time });
        }}
      />
    </>
  );
}
