import { SegmentedControl } from "@mantine/core";
import { useState } from "react";
import type { RecordRef } from "../../api/query-keys";
import { useRecordDetail } from "../../api/records";
import type { RecordDetail } from "../../api/types";
import { bytes } from "../../ui/format/numbers";
import { QueryResult } from "../../ui/query-result";
import { CopyButton } from "../../ui/copy-button";
import { Badge } from "../../ui/status";
import { Time } from "../../ui/time";
import { keyShown, viewsOf, type View } from "./record-views";
import classes from "./stream.module.css";

/** A record in full: decoded value, key, headers and bytes. */
export function RecordDetailView({
  topicRef,
  partition,
  offset,
}: {
  topicRef: RecordRef;
  partition: number;
  offset: number;
}) {
  const detail = useRecordDetail(topicRef, partition, offset, true);
  return (
    <QueryResult query={detail} what="record">
      {(record) => <Whole record={record} />}
    </QueryResult>
  );
}

function Whole({ record }: { record: RecordDetail }) {
  const key = keyShown(record);
  return (
    <div className={classes["detail"]}>
      <dl>
        <dt>Kafka timestamp</dt>
        <dd>
          <Time at={record.timestamp} long />{" "}
          <span className="soft">
            {record.timestamp_type === "log_append_time"
              ? "append time, by the broker's clock"
              : "create time, by the producer's clock"}
          </span>
        </dd>
        {record.event_time && (
          <>
            <dt>Event time</dt>
            <dd>
              <Time at={record.event_time} long />
            </dd>
          </>
        )}
        {record.malformed && (
          <>
            <dt>Malformed</dt>
            <dd>
              <Badge tone="bad" plain>
                {record.malformed.reason}
              </Badge>{" "}
              {record.malformed.detail}
            </dd>
          </>
        )}
        <dt>Key</dt>
        <dd>
          <pre className={classes["small"]} tabIndex={0}>
            {key.text}
          </pre>
          {key.note && <span className="soft">{key.note}</span>}
        </dd>
        <dt>Size</dt>
        <dd>
          {bytes(record.size)} <span className="soft">key and value</span>
        </dd>
        <dt>Headers</dt>
        <dd>
          {record.headers.length
            ? record.headers.map(({ name, value, value_is_text }, index) => (
                <div key={index}>
                  <code>
                    {name}: {value ?? "null"}
                  </code>
                  {!value_is_text && <span className="soft"> bytes, as base64</span>}
                </div>
              ))
            : "none"}
        </dd>
      </dl>
      <Views record={record} />
    </div>
  );
}

function Views({ record }: { record: RecordDetail }) {
  const views = viewsOf(record);
  const [chosen, setChosen] = useState<View["name"] | null>(null);
  const shown = views.find(({ name }) => name === chosen) ?? views[0];
  if (!shown) return null;
  return (
    <div>
      <div className={classes["views"]}>
        <SegmentedControl
          aria-label="View"
          data={views.map(({ name, label }) => ({ value: name, label }))}
          value={shown.name}
          onChange={(name) => {
            setChosen(name);
          }}
        />
        <CopyButton text={shown.copy ?? shown.text} />
      </div>
      <pre tabIndex={0} role="region" aria-label={shown.label}>
        {shown.text}
      </pre>
      {shown.note && <p className="soft">{shown.note}</p>}
    </div>
  );
}
