import { Button, Checkbox } from "@mantine/core";
import { Fragment, useState } from "react";
import { useDeadLetters } from "../../../api/dead-letters";
import type { DeadLetter, Stream } from "../../../api/types";
import { useMay } from "../../../api/workspace-context";
import { bytes, count } from "../../../ui/format/numbers";
import { Icon } from "../../../ui/icons";
import { QueryResult } from "../../../ui/query-result";
import { LoadMore } from "../../../ui/load-more";
import { PausedUpdates } from "../../../ui/paused-updates";
import { Badge } from "../../../ui/status";
import { Time } from "../../../ui/time";
import { BulkActions } from "./bulk-actions";
import { DeadLetterDetailView } from "./dead-letter-detail";
import table from "../../../ui/table.module.css";
import classes from "../stream.module.css";

const MAX_SELECTED = 1_000;

/** Dead letters of one reason, newest first; a row expands to its details, several can be selected. */
export function DeadLetterList({ stream, reason }: { stream: Stream; reason: string }) {
  const deadLetters = useDeadLetters(stream.name, reason);
  const [open, setOpen] = useState<number | null>(null);
  const [marked, setMarked] = useState<ReadonlySet<number>>(new Set());
  const mayEdit = useMay("edit");
  const mark = (ids: readonly number[], on: boolean) => {
    setMarked((before) => new Set(on ? [...before, ...ids] : [...before].filter((id) => !ids.includes(id))));
  };
  return (
    <QueryResult query={deadLetters} what="dead letters">
      {({ pages }) => {
        const shown = pages.flatMap(({ results }) => results);
        const waiting = shown.filter(({ state }) => state === "waiting").map(({ id }) => id);
        const chosen = waiting.filter((id) => marked.has(id)).slice(0, MAX_SELECTED);
        return (
          <>
            {chosen.length > 0 && (
              <div className={classes["chosen"]} role="status">
                <span>{count(chosen.length)} selected</span>
                <BulkActions
                  choice={{ ids: chosen }}
                  deadLetters={chosen.length}
                  words={{ send: "Redrive selected", edit: "Edit selected", drop: "Discard selected" }}
                />
                <Button
                  variant="subtle"
                  onClick={() => {
                    setMarked(new Set());
                  }}
                >
                  Clear selection
                </Button>
              </div>
            )}
            <PausedUpdates pages={pages.length} query={deadLetters} />
            <table className={table["table"]} aria-label={`Dead letters: ${reason}`}>
              <thead>
                <tr>
                  {mayEdit && (
                    <th scope="col">
                      <Checkbox
                        size="xs"
                        aria-label="Select all"
                        disabled={!waiting.length}
                        checked={waiting.length > 0 && chosen.length === waiting.length}
                        indeterminate={chosen.length > 0 && chosen.length < waiting.length}
                        onChange={(e) => {
                          mark(waiting, e.currentTarget.checked);
                        }}
                      />
                    </th>
                  )}
                  <th scope="col">Partition:offset</th>
                  <th scope="col">Kafka timestamp</th>
                  <th scope="col">Value</th>
                  <th scope="col" className="num">
                    Size
                  </th>
                  <th scope="col">Status</th>
                </tr>
              </thead>
              <tbody>
                {shown.map((deadLetter) => (
                  <Fragment key={deadLetter.id}>
                    <tr>
                      {mayEdit && (
                        <td>
                          {deadLetter.state === "waiting" && (
                            <Checkbox
                              size="xs"
                              aria-label={`Select ${position(deadLetter)}`}
                              checked={marked.has(deadLetter.id)}
                              onChange={(e) => {
                                mark([deadLetter.id], e.currentTarget.checked);
                              }}
                            />
                          )}
                        </td>
                      )}
                      <td className="nowrap">
                        <button
                          type="button"
                          className={classes["opener"]}
                          aria-expanded={open === deadLetter.id}
                          onClick={() => {
                            setOpen(open === deadLetter.id ? null : deadLetter.id);
                          }}
                        >
                          <Icon name={open === deadLetter.id ? "down" : "right"} size={12} />{" "}
                          {position(deadLetter)}
                        </button>
                      </td>
                      <td>
                        <Time at={deadLetter.timestamp} />
                      </td>
                      <td className={classes["value"]}>
                        {deadLetter.preview_is_text ? (
                          deadLetter.preview || <span className="soft">empty</span>
                        ) : (
                          <span className="soft">bytes</span>
                        )}
                      </td>
                      <td className="num">{bytes(deadLetter.size)}</td>
                      <td>
                        <Fate deadLetter={deadLetter} />
                      </td>
                    </tr>
                    {open === deadLetter.id && (
                      <tr>
                        <td colSpan={mayEdit ? 6 : 5}>
                          <DeadLetterDetailView stream={stream} id={deadLetter.id} />
                        </td>
                      </tr>
                    )}
                  </Fragment>
                ))}
              </tbody>
            </table>
            <LoadMore query={deadLetters} />
          </>
        );
      }}
    </QueryResult>
  );
}

const FATES = {
  waiting: { tone: "idle", word: "Waiting" },
  queued: { tone: "warn", word: "Redriving" },
  sending: { tone: "warn", word: "Redriving" },
  redriven: { tone: "good", word: "Redriven" },
  discarded: { tone: "idle", word: "Discarded" },
} as const;

function Fate({ deadLetter }: { deadLetter: DeadLetter }) {
  const { tone, word } = FATES[deadLetter.state];
  return (
    <>
      <Badge tone={tone} plain>
        {word}
      </Badge>
      {deadLetter.note && <span className="soft"> {deadLetter.note}</span>}
      {deadLetter.redrive_count > 0 && (
        <div>
          <Badge tone="warn" plain>
            {deadLetter.redrive_count === 1
              ? "Redriven once before"
              : `Redriven ${count(deadLetter.redrive_count)} times before`}
          </Badge>
        </div>
      )}
    </>
  );
}

function position({ partition, offset }: DeadLetter): string {
  return `${String(partition)} : ${count(offset)}`;
}
