import { Fragment, useState } from "react";
import type { RecordRef } from "../../api/query-keys";
import type { StreamRecord } from "../../api/types";
import { count, counted } from "../../ui/format/numbers";
import { Icon } from "../../ui/icons";
import { Badge } from "../../ui/status";
import { Time } from "../../ui/time";
import { RecordDetailView } from "./record-detail";
import { keyLine } from "./record-views";
import table from "../../ui/table.module.css";
import classes from "./stream.module.css";

const SHOWN_FIELDS = 6;

interface RecordTableProps {
  topicRef: RecordRef;
  records: readonly StreamRecord[];
  /** for screen readers, where a page has several */
  label?: string;
  fields: readonly { name: string }[];
  /** partition and offset of the record that is open at first */
  expanded?: string | undefined;
}

/** Records with their first fields; a row expands to the full record. */
export function RecordTable({ topicRef, records, fields, expanded, label = "Records" }: RecordTableProps) {
  const [open, setOpen] = useState<string | null>(expanded ?? null);
  const shown = fields.slice(0, SHOWN_FIELDS);
  const rest = fields.slice(SHOWN_FIELDS);
  const columns = Math.max(1, shown.length) + (rest.length ? 1 : 0);
  return (
    <div className={table["scroll"]} tabIndex={0} role="region" aria-label={label}>
      <table className={table["table"]}>
        <thead>
          <tr>
            <th scope="col">Partition:offset</th>
            <th scope="col">Kafka timestamp</th>
            <th scope="col">Event time</th>
            <th scope="col">Key</th>
            {shown.length ? (
              shown.map(({ name }) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))
            ) : (
              <th scope="col">Value</th>
            )}
            {rest.length > 0 && (
              <th scope="col" title={rest.map(({ name }) => name).join(", ")}>
                + {counted(rest.length, "field")}
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {records.map((record) => {
            const id = `${String(record.partition)}:${String(record.offset)}`;
            const opened = open === id;
            return (
              <Fragment key={id}>
                <tr>
                  <td className="nowrap">
                    <button
                      type="button"
                      className={classes["opener"]}
                      aria-expanded={opened}
                      onClick={() => {
                        setOpen(opened ? null : id);
                      }}
                    >
                      <Icon name={opened ? "down" : "right"} size={12} /> {record.partition} :{" "}
                      {count(record.offset)}
                    </button>
                  </td>
                  <td>
                    <Time at={record.timestamp} />
                  </td>
                  {record.malformed ? (
                    <td colSpan={columns + 2}>
                      <Badge tone="bad" plain>
                        {record.malformed.reason}
                      </Badge>{" "}
                      <span className="soft">{record.malformed.detail}</span>
                    </td>
                  ) : (
                    <>
                      <td>
                        <Time at={record.event_time} />
                      </td>
                      <td className={classes["value"]}>
                        {keyLine(record) ?? <span className="soft">null</span>}
                      </td>
                      {record.deleted ? (
                        <td colSpan={shown.length || 1} className="soft">
                          deletes its row
                        </td>
                      ) : shown.length ? (
                        shown.map(({ name }) => (
                          <td key={name} className={classes["value"]}>
                            {shownValue(record.row?.[name])}
                          </td>
                        ))
                      ) : (
                        <td className={classes["value"]}>
                          {record.value_is_text ? (
                            (record.value ?? <span className="soft">null</span>)
                          ) : (
                            <span className="soft">bytes</span>
                          )}
                        </td>
                      )}
                      {rest.length > 0 && <td className="soft">{record.row ? "expand to view" : ""}</td>}
                    </>
                  )}
                </tr>
                {opened && (
                  <tr>
                    <td colSpan={columns + 4}>
                      <RecordDetailView
                        topicRef={topicRef}
                        partition={record.partition}
                        offset={record.offset}
                      />
                    </td>
                  </tr>
                )}
              </Fragment>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

export function shownValue(value: unknown) {
  if (value === null || value === undefined) return <span className="soft">null</span>;
  return typeof value === "string" ? value : JSON.stringify(value);
}
