import { Button, Select } from "@mantine/core";
import { useEffect } from "react";
import { useLink, useTail } from "../../api/live";
import type { RecordsPlace } from "../../api/keys";
import type { Contract } from "../../api/types";
import type { Tail } from "../../live/tail";
import { useAddress } from "../../ui/address";
import { count, rate } from "../../ui/format/numbers";
import { Icon } from "../../ui/icons";
import { Panel } from "../../ui/page";
import { Empty, Waiting } from "../../ui/states";
import { Mark } from "../../ui/status";
import { AskedText } from "./asked";
import { RecordTable } from "./record-table";
import { leftOut, readRate, SHOWN_RATES } from "./tail-words";
import classes from "./stream.module.css";

interface TailProps {
  place: RecordsPlace;
  topic: string;
  /** none where the topic is no stream: records are shown as they came */
  fields: Contract["fields"];
}

/** Records as they arrive, newest first: all or those that meet a condition, as many a second as somebody wants to see. */
export function LiveTail({ place, topic, fields }: TailProps) {
  const [where] = useAddress("where", "");
  const [most] = useAddress("rate", "");
  return <Following key={`${most} ${where}`} place={place} topic={topic} fields={fields} where={"stream" in place ? where : ""} most={readRate(most)} />;
}

function Following({ place, topic, fields, where, most }: TailProps & { where: string; most: number }) {
  const { store, tail } = useTail(place, { rate: most, ...(where && { where }) });
  const link = useLink();
  const [, setWhere] = useAddress("where", "");
  const [, setMost] = useAddress("rate", "");
  const [pause, setPause] = useAddress("pause", "");
  useEffect(() => {
    store.setPaused(pause === "1");
  }, [store, pause]);
  return (
    <Panel
      flush
      title={
        <div className={classes["bar"]}>
          {link.state === "connected" ? <Mark tone="good" plain>Live</Mark> : <Mark tone="warn" plain>Not connected</Mark>}
          <Select aria-label="Records shown per second at most" allowDeselect={false} data={[...SHOWN_RATES]} value={String(most)} onChange={setMost} w={170} />
          {"stream" in place && <AskedText label="Condition, such as price > 100" value={where} onAsk={setWhere} code wide />}
          <span className="soft" role="status">{[rate(tail.perSecond, "records"), ...leftOut(tail, where !== "")].join(" · ")}</span>
        </div>
      }
      aside={
        <Button variant={tail.paused ? "filled" : "default"} leftSection={<Icon name={tail.paused ? "play" : "pause"} size={14} />} onClick={() => { setPause(pause === "1" ? null : "1"); }}>
          {tail.paused ? `Go on (${count(tail.held)} wait)` : "Pause"}
        </Button>
      }
    >
      <Records place={place} topic={topic} fields={fields} tail={tail} searching={where !== ""} />
    </Panel>
  );
}

function Records({ place, topic, fields, tail, searching }: TailProps & { tail: Tail; searching: boolean }) {
  if (tail.error?.code === "FILTER_INVALID") return <p role="alert" className={classes["looked"]}><Mark tone="bad" plain>Not a condition</Mark> {tail.error.message}</p>;
  if (tail.error) return <Empty title="This cannot be followed">{tail.error.message}</Empty>;
  if (tail.records.length) return <RecordTable place={place} records={tail.records.slice(0, 100)} fields={fields} />;
  if (!tail.following) return <Waiting title="Connecting" />;
  if (searching) return <Waiting title="Waiting for the first match">Following the end of <code>{topic}</code>. Records that were there before are under Newest, with the same condition.</Waiting>;
  return <Waiting title="Waiting for the next record">Following the end of <code>{topic}</code>. Records that were there before are under Newest.</Waiting>;
}
