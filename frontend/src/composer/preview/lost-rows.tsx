/** Rows that a step took away, each with the reason. */

import { ownValue } from "../../api/own-value";
import type { PreviewStep } from "../../api/types";
import { writtenInstant } from "../../ui/format/times";
import { Time } from "../../ui/time";
import table from "../../ui/table.module.css";
import classes from "./preview.module.css";

export function LostRows({ rows }: { rows: PreviewStep["lost"] }) {
  if (!rows.length) return null;
  const names = [...new Set(rows.flatMap(({ value }) => Object.keys(value ?? {})))];
  return (
    <details className={classes["lost"]}>
      <summary>Rows that were left out, and why</summary>
      <div
        className={`${table["scroll"] ?? ""} ${classes["rows"] ?? ""}`}
        tabIndex={0}
        role="region"
        aria-label="Rows that were left out"
      >
        <table className={table["table"]}>
          <thead>
            <tr>
              <th scope="col">Why</th>
              {names.map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
              <th scope="col">Event time</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ kind, why, key, value, at }, index) => (
              <tr key={`${key ?? ""} ${String(index)}`}>
                <td>{kind === "late" ? `Late. ${why}` : why}</td>
                {names.map((name) => (
                  <td key={name} className={classes["value"]}>
                    <Value value={ownValue(value ?? {}, name)} />
                  </td>
                ))}
                <td>{at === null ? <span className="soft">–</span> : <Time at={at} long />}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p className="soft">The first of them, as far as the rows shown tell.</p>
    </details>
  );
}

function Value({ value }: { value: unknown }) {
  if (value === null || value === undefined) return <span className="soft">null</span>;
  const at = writtenInstant(value);
  if (at) return <Time at={at} long />;
  return <>{typeof value === "string" ? value : JSON.stringify(value)}</>;
}
