import { Fragment, useState } from "react";
import { streamRef } from "../../api/query-keys";
import type { Stream, TableEntry } from "../../api/types";
import { count, counted } from "../../ui/format/numbers";
import { Icon } from "../../ui/icons";
import { Ago, Time } from "../../ui/time";
import { RecordDetailView } from "./record-detail";
import { shownValue } from "./record-table";
import table from "../../ui/table.module.css";
import classes from "./stream.module.css";

const SHOWN = 8;

/** Rows of a table with their first fields, key fields first; a row expands to the full record. */
export function RowTable({
  label,
  stream,
  rows,
}: {
  label: string;
  stream: Stream;
  rows: readonly TableEntry[];
}) {
  const [open, setOpen] = useState<string | null>(null);
  const key = stream.contract.key ?? [];
  const names = [
    ...key,
    ...stream.contract.fields.map(({ name }) => name).filter((name) => !key.includes(name)),
  ];
  const shown = names.slice(0, SHOWN);
  const rest = names.slice(SHOWN);
  const columns = shown.length + (rest.length ? 1 : 0);
  return (
    <div className={table["scroll"]} tabIndex={0} role="region" aria-label={label}>
      <table className={table["table"]}>
        <thead>
          <tr>
            {shown.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
            {rest.length > 0 && (
              <th scope="col" title={rest.join(", ")}>
                + {counted(rest.length, "field")}
              </th>
            )}
            <th scope="col">Event time</th>
            <th scope="col">Kafka timestamp</th>
            <th scope="col">Partition:offset</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((entry) => (
            <Fragment key={entry.key}>
              <tr>
                {shown.map((name, at) => (
                  <td key={name} className={classes["value"]}>
                    {at === 0 ? (
                      <button
                        type="button"
                        className={classes["opener"]}
                        aria-expanded={open === entry.key}
                        onClick={() => {
                          setOpen(open === entry.key ? null : entry.key);
                        }}
                      >
                        <Icon name={open === entry.key ? "down" : "right"} size={12} />{" "}
                        {shownValue(entry.row?.[name])}
                      </button>
                    ) : (
                      shownValue(entry.row?.[name])
                    )}
                  </td>
                ))}
                {rest.length > 0 && <td className="soft">expand to view</td>}
                <td>
                  <Time at={entry.event_time} />
                </td>
                <td>
                  <Ago at={entry.timestamp} />
                </td>
                <td className="nowrap">
                  {entry.partition} : {count(entry.offset)}
                </td>
              </tr>
              {open === entry.key && (
                <tr>
                  <td colSpan={columns + 3}>
                    <RecordDetailView
                      topicRef={streamRef(stream)}
                      partition={entry.partition}
                      offset={entry.offset}
                    />
                  </td>
                </tr>
              )}
            </Fragment>
          ))}
        </tbody>
      </table>
    </div>
  );
}
