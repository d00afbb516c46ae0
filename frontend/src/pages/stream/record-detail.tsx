import type { StreamRecord } from "../../api/types";
import { bytes } from "../../ui/format/numbers";
import { Time } from "../../ui/time";
import classes from "./stream.module.css";

function pretty(record: StreamRecord): string {
  if (record.value === null) return "null (a tombstone)";
  if (!record.value_is_text) return record.value;
  try {
    return JSON.stringify(JSON.parse(record.value), null, 2);
  } catch {
    // Not JSON: shown as it came, which is what somebody who looks at a malformed record wants to see.
    return record.value;
  }
}

/** The whole record as it lies in Kafka. */
export function RecordDetail({ record }: { record: StreamRecord }) {
  return (
    <div className={classes["detail"]}>
      <dl>
        <dt>Arrived</dt><dd><Time at={record.append_time} long /></dd>
        <dt>Size</dt><dd>{bytes(record.size)}</dd>
        <dt>Headers</dt>
        <dd>{record.headers.length ? record.headers.map(([name, value], index) => <div key={index}><code>{name}: {value}</code></div>) : "none"}</dd>
      </dl>
      <pre tabIndex={0}>{pretty(record)}</pre>
      {!record.value_is_text && record.value !== null && <p className="soft">The bytes are no text and are shown in base64.</p>}
      {record.truncated && <p className="soft">Only the beginning is shown.</p>}
    </div>
  );
}
