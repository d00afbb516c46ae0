import { Button } from "@mantine/core";
import { useState } from "react";
import type { RecordsPlace } from "../../api/keys";
import { useWholeRecord } from "../../api/records";
import type { StreamRecord } from "../../api/types";
import { bytes } from "../../ui/format/numbers";
import { Loaded } from "../../ui/loaded";
import { Time } from "../../ui/time";
import { hexLines } from "./hex";
import classes from "./stream.module.css";

function pretty(record: StreamRecord): string {
  if (record.value === null) return "null (a tombstone)";
  if (!record.value_is_text) return hexLines(record.value);
  try {
    return JSON.stringify(JSON.parse(record.value), null, 2);
  } catch {
    // Not JSON: shown as it came, which is what somebody who looks at a malformed record wants to see.
    return record.value;
  }
}

function keyText(record: StreamRecord): string {
  if (record.key === null) return "null";
  return record.key_is_text ? record.key : `bytes, base64 ${record.key}`;
}

/** The whole record as it lies in Kafka. */
export function RecordDetail({ record, place }: { record: StreamRecord; place: RecordsPlace }) {
  const [raw, setRaw] = useState(false);
  return (
    <div className={classes["detail"]}>
      <dl>
        <dt>{record.time_kind === "append" ? "Arrived" : "Written"}</dt><dd><Time at={record.append_time} long /> <span className="soft">{record.time_kind === "append" ? "by the broker's clock" : "by the producer's clock"}</span></dd>
        <dt>Key</dt><dd><code>{keyText(record)}</code></dd>
        <dt>Size</dt><dd>{bytes(record.size)}</dd>
        <dt>Headers</dt>
        <dd>{record.headers.length ? record.headers.map(({ name, value, value_is_text }, index) => <div key={index}><code>{name}: {value ?? "null"}</code>{!value_is_text && <span className="soft"> bytes, in base64</span>}</div>) : "none"}</dd>
      </dl>
      {raw ? <Whole record={record} place={place} /> : <pre tabIndex={0}>{pretty(record)}</pre>}
      <p className="soft">
        {!record.value_is_text && record.value !== null && "The value is no text; its bytes are shown. "}
        {record.truncated && !raw && "Only the beginning is shown. "}
        <Button variant="subtle" onClick={() => { setRaw(!raw); }}>{raw ? "As text" : "All of it, as raw bytes"}</Button>
      </p>
    </div>
  );
}

function Whole({ record, place }: { record: StreamRecord; place: RecordsPlace }) {
  const whole = useWholeRecord(place, record.partition, record.offset, true);
  return <Loaded query={whole} what="the record">{({ value_base64 }) => <pre tabIndex={0}>{value_base64 === null ? "null (a tombstone)" : hexLines(value_base64)}</pre>}</Loaded>;
}
