import { Button, Select } from "@mantine/core";
import { useEffect } from "react";
import { useConnection, useTail } from "../../api/live";
import type { TopicRef } from "../../api/query-keys";
import type { Contract } from "../../api/types";
import type { Tail } from "../../live/tail-store";
import { useFrozenWhilePressed } from "../../ui/use-frozen-value";
import { useUrlState } from "../../ui/url-state";
import { count, rate } from "../../ui/format/numbers";
import { Icon } from "../../ui/icons";
import { Panel } from "../../ui/page";
import { Empty, Loading } from "../../ui/placeholders";
import { Badge } from "../../ui/status";
import { Time } from "../../ui/time";
import { SubmitText } from "./submit-input";
import { RecordTable } from "./record-table";
import { omittedText, readRate, SHOWN_RATES } from "./tail-text";
import classes from "./stream.module.css";

interface TailProps {
  topicRef: TopicRef;
  topic: string;
  /** none where the topic is no stream: records are shown as they came */
  fields: Contract["fields"];
}

/** Records as they arrive, newest first: all or those that meet a condition, at a maximum rate. */
export function LiveTail({ topicRef, topic, fields }: TailProps) {
  const [filter, setWhere] = useUrlState("where", "");
  const [rateText, setMost] = useUrlState("rate", "");
  const [pause, setPause] = useUrlState("pause", "");
  const where = "stream" in topicRef ? filter : "";
  const most = readRate(rateText);
  const { store, tail } = useTail(topicRef, { max_per_second: most, ...(where && { where }) });
  const link = useConnection();
  const perSecond = link.state === "connected" ? tail.perSecond : null;
  // A press on Pause may apply the filter, and the longer text would move the button away before the release.
  const counts = useFrozenWhilePressed(
    [rate(perSecond, "records"), ...omittedText(tail, where !== "")].join(" · "),
  );
  useEffect(() => {
    store.setPaused(pause === "1");
  }, [store, pause]);
  return (
    <Panel
      flush
      title={
        <div className={classes["bar"]}>
          {link.state === "connected" ? (
            <Badge tone="good" plain>
              Live
            </Badge>
          ) : (
            <Badge tone="warn" plain>
              Not connected
            </Badge>
          )}
          <Select
            aria-label="Max records shown per second"
            allowDeselect={false}
            data={[...SHOWN_RATES]}
            value={String(most)}
            onChange={setMost}
            w={170}
          />
          {"stream" in topicRef && (
            <SubmitText label="Filter, e.g. price > 100" value={where} onSubmit={setWhere} code wide />
          )}
          <span className="soft">{counts}</span>
          {tail.gapAt !== null && (
            <Badge tone="warn" plain>
              Records may be missing before <Time at={new Date(tail.gapAt)} />
            </Badge>
          )}
        </div>
      }
      aside={
        <Button
          variant={tail.paused ? "filled" : "default"}
          leftSection={<Icon name={tail.paused ? "play" : "pause"} size={14} />}
          onClick={() => {
            setPause(pause === "1" ? null : "1");
          }}
        >
          {tail.paused ? `Resume (${count(tail.pending)} buffered)` : "Pause"}
        </Button>
      }
    >
      <Records topicRef={topicRef} topic={topic} fields={fields} tail={tail} searching={where !== ""} />
    </Panel>
  );
}

function Records({
  topicRef,
  topic,
  fields,
  tail,
  searching,
}: TailProps & { tail: Tail; searching: boolean }) {
  if (tail.error?.code === "FILTER_INVALID")
    return (
      <p role="alert" className={classes["note"]}>
        <Badge tone="bad" plain>
          Invalid filter
        </Badge>{" "}
        {tail.error.message}
      </p>
    );
  if (tail.error) return <Empty title="Live tail unavailable">{tail.error.message}</Empty>;
  if (tail.records.length)
    return <RecordTable topicRef={topicRef} records={tail.records.slice(0, 100)} fields={fields} />;
  if (!tail.following) return <Loading title="Connecting" />;
  if (searching)
    return (
      <Loading title="Waiting for the first match">
        Tailing <code>{topic}</code>. For older matches, see Newest.
      </Loading>
    );
  return (
    <Loading title="Waiting for the next record">
      Tailing <code>{topic}</code>. For older records, see Newest.
    </Loading>
  );
}
