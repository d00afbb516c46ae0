/** The rows of a step: keys first, times in the person's zone. */

import type { PreviewRow, PreviewStep, SchemaField } from "../../api/types";
import { count } from "../../ui/format/numbers";
import { Time } from "../../ui/time";
import table from "../../ui/table.module.css";
import classes from "./preview.module.css";

interface PreviewRowsProps {
  step: PreviewStep;
  schema: readonly SchemaField[];
}

export function PreviewRows({ step, schema }: PreviewRowsProps) {
  const isKey = new Set(step.key);
  const types = new Map(schema.map(({ name, type }) => [name, type]));
  const read = step.fields.filter((name) => step.first.some(({ value }) => value !== null && name in value));
  const names = [...read.filter((name) => isKey.has(name)), ...read.filter((name) => !isKey.has(name))];
  const unread = step.fields.filter((name) => !read.includes(name));
  return (
    <>
      <div
        className={`${table["scroll"] ?? ""} ${classes["rows"] ?? ""}`}
        tabIndex={0}
        role="region"
        aria-label={`Rows of ${step.reference}`}
      >
        <table className={table["table"]}>
          <thead>
            <tr>
              {names.map((name) => (
                <th key={name} scope="col">
                  {name}
                  {isKey.has(name) && <span className={classes["key"]}>key</span>}
                </th>
              ))}
              <th scope="col">Event time</th>
            </tr>
          </thead>
          <tbody>
            {step.first.map((row, at) => (
              <tr key={`${row.key ?? ""} ${String(at)}`}>
                {row.value === null ? (
                  <td colSpan={Math.max(1, names.length)} className="soft">
                    Tombstone of {row.key}
                  </td>
                ) : (
                  names.map((name) => (
                    <td key={name} className={classes["value"]}>
                      <Value value={row.value?.[name]} type={types.get(name)} />
                    </td>
                  ))
                )}
                <td>
                  <EventTime row={row} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {step.truncated && (
        <p className="soft">
          The first {count(step.first.length)} of {count(step.rows + step.tombstones)}.
        </p>
      )}
      {unread.length > 0 && step.first.some(({ value }) => value !== null) && (
        <p className="soft">Not read by this job: {unread.join(", ")}.</p>
      )}
    </>
  );
}

function Value({ value, type }: { value: unknown; type: string | undefined }) {
  if (value === null || value === undefined) return <span className="soft">null</span>;
  if (type === "timestamp" && typeof value === "string") return <Time at={value} long />;
  return <>{typeof value === "string" ? value : JSON.stringify(value)}</>;
}

function EventTime({ row }: { row: PreviewRow }) {
  return row.at === null ? <span className="soft">–</span> : <Time at={row.at} long />;
}
