import { Fragment, useState } from "react";
import { useDeadLetterGroups } from "../../../api/dead-letters";
import type { Validation, DeadLetterGroup, Stream } from "../../../api/types";
import { useMay } from "../../../api/workspace-context";
import { count, counted } from "../../../ui/format/numbers";
import { Icon } from "../../../ui/icons";
import { QueryResult } from "../../../ui/query-result";
import { Panel } from "../../../ui/page";
import { Empty } from "../../../ui/placeholders";
import { Badge } from "../../../ui/status";
import { Ago } from "../../../ui/time";
import { BulkActions } from "./bulk-actions";
import { DeadLetterList } from "./dead-letter-list";
import { reasonText } from "../../../ui/malformed-reasons";
import table from "../../../ui/table.module.css";
import classes from "../stream.module.css";

const COLUMNS = 7;

/** Dead letters by reason; a group expands to its dead letters. */
export function DeadLetterGroups({ stream, validation }: { stream: Stream; validation: Validation }) {
  const groups = useDeadLetterGroups(stream.name);
  const [open, setOpen] = useState<string | null>(null);
  const mayEdit = useMay("edit");
  const waiting = groups.data?.results.reduce((sum, group) => sum + group.waiting, 0) ?? 0;
  return (
    <Panel
      title="Dead letters"
      flush
      aside={
        mayEdit &&
        waiting > 0 && (
          <BulkActions
            choice={{ all: true }}
            deadLetters={waiting}
            words={{ send: "Redrive all", edit: "Edit all", drop: "Discard all" }}
          />
        )
      }
    >
      <QueryResult query={groups} what="dead letters">
        {({ results }) =>
          results.length ? (
            <>
              <NotListed validation={validation} />
              <div className={table["scroll"]} tabIndex={0} role="region" aria-label="Dead letters by reason">
                <table className={table["table"]}>
                  <thead>
                    <tr>
                      <th scope="col">Reason</th>
                      <th scope="col" className="num">
                        Waiting
                      </th>
                      <th scope="col" className="num">
                        Redriven
                      </th>
                      <th scope="col" className="num">
                        Discarded
                      </th>
                      <th scope="col" className="num">
                        Failed again after redrive
                      </th>
                      <th scope="col">Latest record</th>
                      <th scope="col">
                        <span className="visually-hidden">Actions</span>
                      </th>
                    </tr>
                  </thead>
                  <tbody>
                    {results.map((group) => (
                      <Fragment key={group.reason}>
                        <Group
                          group={group}
                          opened={open === group.reason}
                          onOpen={() => {
                            setOpen(open === group.reason ? null : group.reason);
                          }}
                        />
                        {open === group.reason && (
                          <tr>
                            <td colSpan={COLUMNS}>
                              <DeadLetterList stream={stream} reason={group.reason} />
                            </td>
                          </tr>
                        )}
                      </Fragment>
                    ))}
                  </tbody>
                </table>
              </div>
            </>
          ) : (
            <NoDeadLetters validation={validation} />
          )
        }
      </QueryResult>
    </Panel>
  );
}

function Group({ group, opened, onOpen }: { group: DeadLetterGroup; opened: boolean; onOpen: () => void }) {
  const mayEdit = useMay("edit");
  const sample = group.samples[0];
  return (
    <tr>
      <td>
        <button type="button" className={classes["opener"]} aria-expanded={opened} onClick={onOpen}>
          <Icon name={opened ? "down" : "right"} size={12} /> <code>{group.reason}</code>
        </button>{" "}
        {reasonText(group.reason)}
        {sample && (
          <div className={`${classes["value"] ?? ""} soft`}>
            {sample.preview_is_text ? sample.preview || "empty" : "bytes"}
          </div>
        )}
      </td>
      <td className="num">{count(group.waiting)}</td>
      <td className="num">{count(group.redriven)}</td>
      <td className="num">{count(group.discarded)}</td>
      <td className="num">{count(group.failed_again)}</td>
      <td>
        <Ago at={group.newest} />
      </td>
      <td>
        {mayEdit && group.waiting > 0 && (
          <BulkActions
            choice={{ reason: group.reason }}
            deadLetters={group.waiting}
            words={{ send: "Redrive", edit: "Edit all", drop: "Discard" }}
          />
        )}
      </td>
    </tr>
  );
}

function NotListed({ validation }: { validation: Validation }) {
  if (!validation.index_pending || validation.dead_letters.waiting < validation.max_waiting) return null;
  return (
    <p className={classes["note"]}>
      <Badge tone="warn" plain>
        Not all are listed
      </Badge>{" "}
      {count(validation.max_waiting)} are waiting, the most at once. Redrive or discard some, and the others
      follow; the topic <code>{validation.dead_letter_topic}</code> has all.
    </p>
  );
}

function NoDeadLetters({ validation }: { validation: Validation }) {
  if (validation.observed === "never_started" && !validation.on)
    return <Empty title="No dead letters">Turn on contract validation to keep malformed records.</Empty>;
  if (validation.index_pending)
    return (
      <Empty title="Loading dead letters…">
        Malformed records were just counted; they appear here in a moment.
      </Empty>
    );
  if (validation.counts.malformed > 0)
    return (
      <Empty title="No dead letters">
        {counted(validation.counts.malformed, "dead letter")} expired (retention of{" "}
        <code>{validation.dead_letter_topic}</code>).
      </Empty>
    );
  if (validation.counts.records > 0)
    return (
      <Empty title="No dead letters">
        {counted(validation.counts.records, "record")} validated, none malformed.
      </Empty>
    );
  return (
    <Empty title="No records validated yet">
      {validation.on
        ? "Contract validation is starting, or the stream has no records."
        : "Contract validation is off."}
    </Empty>
  );
}
