import { Button, Select, TextInput } from "@mantine/core";
import { useState } from "react";
import { useMoveOffsets } from "../../../api/consumer-groups";
import { ApiError } from "../../../api/client";
import type { GroupDetail, MovePlan } from "../../../api/types";
import { count, counted } from "../../../ui/format/numbers";
import { localInputText, zoneName } from "../../../ui/format/times";
import { heldOpen, OpenDialog } from "../../../ui/open-dialog";
import { Badge } from "../../../ui/status";
import { Table, type Column } from "../../../ui/table";
import { moveRequest, TARGETS, type MoveDraft } from "./move-request";
import classes from "../consumers.module.css";

type Move = MovePlan["moves"][number];

const COLUMNS: readonly Column<Move>[] = [
  { name: "Topic", cell: ({ topic }) => topic },
  { name: "Partition", cell: ({ partition }) => partition },
  { name: "From", numeric: true, cell: ({ before }) => count(before) },
  {
    name: "To",
    numeric: true,
    cell: ({ after, cut }) => (
      <>
        <strong>{count(after)}</strong>
        {cut && <div className={classes["sub"]}>limit of the log</div>}
      </>
    ),
  },
  { name: "Effect", cell: ({ change }) => effect(change) },
];

const SHOWN = 200;

/** Moves offsets in two steps: what it would do, then doing it. */
export function MoveOffsets({ group, onClose }: { group: GroupDetail; onClose: () => void }) {
  const [draft, setDraft] = useState<MoveDraft>(firstDraft);
  const preview = useMoveOffsets(group.cluster, group.name);
  const move = useMoveOffsets(group.cluster, group.name);
  const request = moveRequest(draft);
  const problem = "problem" in request ? request.problem : "";
  const forgetMove = () => {
    if (!move.isPending) move.reset(); // what is being done is said when it is done
  };
  const change = (part: Partial<MoveDraft>) => {
    setDraft({ ...draft, ...part });
    preview.reset();
    forgetMove();
  };
  // A move that failed may have been done in part: what was previewed would move the rest, and that again.
  const plan = move.error ? undefined : preview.data;
  const changes = changed(plan?.moves ?? []);
  if (move.data)
    return (
      <OpenDialog onClose={onClose} title={<strong>Offsets moved</strong>}>
        <p>
          {totals(move.data)} {counted(changed(move.data.moves), "partition")} of {group.name}. Start the
          consumers to continue from there.
        </p>
        <div className={classes["end"]}>
          <Button onClick={onClose}>Close</Button>
        </div>
      </OpenDialog>
    );
  return (
    <OpenDialog
      onClose={onClose}
      {...heldOpen(move.isPending)}
      size="xl"
      title={<strong>Move offsets of {group.name}</strong>}
    >
      <form
        className={classes["form"]}
        onSubmit={(event) => {
          event.preventDefault();
          if (!("body" in request)) return;
          forgetMove();
          preview.mutate({ ...request.body, dry_run: true });
        }}
      >
        <div className={classes["row"]}>
          <Select
            label="Position"
            allowDeselect={false}
            w={280}
            data={TARGETS}
            value={draft.target}
            onChange={(target) => {
              if (target) change({ target });
            }}
          />
          {draft.target === "time" && (
            <TextInput
              label={`First record written at or after (${zoneName()})`}
              type="datetime-local"
              step={1}
              value={draft.time}
              onChange={(event) => {
                change({ time: event.currentTarget.value });
              }}
            />
          )}
          {(draft.target === "offset" || draft.target === "by") && (
            <TextInput
              label={draft.target === "offset" ? "Offset" : "Records (negative: back)"}
              inputMode="numeric"
              placeholder={draft.target === "offset" ? "0" : "-1000"}
              value={draft.offset}
              onChange={(event) => {
                change({ offset: event.currentTarget.value });
              }}
            />
          )}
        </div>
        <div className={classes["row"]}>
          <Select
            label="Topic"
            placeholder="All topics of the group"
            clearable
            w={280}
            data={group.topics}
            value={draft.topic || null}
            onChange={(topic) => {
              change({ topic: topic ?? "", partitions: "" });
            }}
          />
          {draft.topic && (
            <TextInput
              label="Partitions"
              placeholder="All, or e.g. 0, 3-5"
              value={draft.partitions}
              onChange={(event) => {
                change({ partitions: event.currentTarget.value });
              }}
            />
          )}
          <Button type="submit" variant="default" loading={preview.isPending} disabled={problem !== ""}>
            Preview
          </Button>
        </div>
        {problem && <p className="soft">{problem}</p>}
        <Refusal error={preview.error ?? move.error} refused={plan?.refused ?? ""} />
        {plan && (
          <>
            <p>
              {changes === 0
                ? "Nothing would change: all partitions are there already."
                : `${totals(plan)} ${counted(changes, "partition")} would move.`}
            </p>
            <div className={classes["moves"]}>
              <Table
                label="What would change"
                columns={COLUMNS}
                rows={plan.moves.slice(0, SHOWN)}
                rowKey={({ topic, partition }) => `${topic}/${String(partition)}`}
              />
            </div>
            {plan.moves.length > SHOWN && (
              <p className="soft">{counted(plan.moves.length - SHOWN, "more partition")} not listed.</p>
            )}
          </>
        )}
        <div className={classes["end"]}>
          <Button variant="default" disabled={move.isPending} onClick={onClose}>
            Cancel
          </Button>
          <Button
            color="#b3261e"
            disabled={!plan || changes === 0 || plan.refused !== "" || problem !== ""}
            loading={move.isPending}
            onClick={() => {
              if ("body" in request) move.mutate({ ...request.body, dry_run: false });
            }}
          >
            Move offsets
          </Button>
        </div>
      </form>
    </OpenDialog>
  );
}

const HOUR_MS = 3_600_000;

function firstDraft(): MoveDraft {
  const anHourAgo = localInputText(new Date(Date.now() - HOUR_MS));
  return { target: "time", offset: "", time: anHourAgo, topic: "", partitions: "" };
}

function Refusal({ error, refused }: { error: unknown; refused: string }) {
  const text = error
    ? error instanceof ApiError
      ? error.message
      : "Something went wrong. Try again."
    : refused;
  if (!text) return null;
  const isPartlyMoved = error instanceof ApiError && error.code === "PARTLY_MOVED";
  return (
    <p role="alert">
      <Badge tone="bad" plain>
        {isPartlyMoved ? "Only some offsets were moved" : "Can't move offsets now"}
      </Badge>{" "}
      {text}
    </p>
  );
}

function effect(change: number): string {
  if (change === 0) return "unchanged";
  return change > 0 ? `skips ${counted(change, "record")}` : `reads ${counted(-change, "record")} again`;
}

function changed(moves: MovePlan["moves"]): number {
  return moves.filter(({ before, after }) => before !== after).length;
}

function totals({ skipped, read_again }: MovePlan): string {
  return `${counted(skipped, "record")} skipped, ${counted(read_again, "record")} read again.`;
}
