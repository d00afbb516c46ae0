import { SegmentedControl } from "@mantine/core";
import { streamRef } from "../../api/query-keys";
import type { Stream } from "../../api/types";
import { useUrlState } from "../../ui/url-state";
import { Browse } from "./browse";
import { LiveTail } from "./live-tail";
import classes from "./stream.module.css";

const WAYS = [
  { value: "newest", label: "Newest" },
  { value: "earliest", label: "Oldest" },
  { value: "offset", label: "From offset" },
  { value: "time", label: "From time" },
  { value: "live", label: "Live" },
];

export function RecordsTab({ stream }: { stream: Stream }) {
  const [from, setFrom] = useUrlState("from", "newest");
  return (
    <>
      <div className={classes["bar"]}>
        <SegmentedControl aria-label="Which records" data={WAYS} value={from} onChange={setFrom} />
      </div>
      {from === "live" ? (
        <LiveTail topicRef={streamRef(stream)} topic={stream.topic} fields={stream.contract.fields} />
      ) : (
        <Browse
          key={from}
          topicRef={streamRef(stream)}
          partitions={stream.partitions}
          fields={stream.contract.fields}
          keyFields={stream.contract.key ?? []}
          from={from}
        />
      )}
    </>
  );
}
