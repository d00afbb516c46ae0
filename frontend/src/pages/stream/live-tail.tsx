import { Button } from "@mantine/core";
import { useEffect } from "react";
import { useLink, useTail } from "../../api/live";
import type { Stream } from "../../api/types";
import { useAddress } from "../../ui/address";
import { count, counted, rate } from "../../ui/format/numbers";
import { Icon } from "../../ui/icons";
import { Panel } from "../../ui/page";
import { Empty, Waiting } from "../../ui/states";
import { Mark } from "../../ui/status";
import { RecordTable } from "./record-table";
import classes from "./stream.module.css";

/** Records as they arrive, newest first. */
export function LiveTail({ stream }: { stream: Stream }) {
  const { store, tail } = useTail(stream.name, true);
  const link = useLink();
  const [pause, setPause] = useAddress("pause", "");
  useEffect(() => {
    store.setPaused(pause === "1");
  }, [store, pause]);
  return (
    <Panel
      flush
      title={
        <span className={classes["bar"]}>
          {link.state === "connected" ? <Mark tone="good" plain>Live</Mark> : <Mark tone="warn" plain>Not connected</Mark>}
          <span className="soft">{rate(tail.perSecond, "records")}{tail.skipped > 0 && ` · ${counted(tail.skipped, "record")} left out, they came too fast to show`}</span>
        </span>
      }
      aside={
        <Button variant={tail.paused ? "filled" : "default"} leftSection={<Icon name={tail.paused ? "play" : "pause"} size={14} />} onClick={() => { setPause(pause === "1" ? null : "1"); }}>
          {tail.paused ? `Go on (${count(tail.held)} wait)` : "Pause"}
        </Button>
      }
    >
      {tail.error ? (
        <Empty title="The stream cannot be followed">{tail.error}</Empty>
      ) : tail.records.length ? (
        <RecordTable place={{ stream: stream.name }} records={tail.records.slice(0, 100)} fields={stream.contract.fields} />
      ) : tail.following ? (
        <Waiting title="Waiting for the next record">Following the end of <code>{stream.topic}</code>. Records that were there before are under Newest.</Waiting>
      ) : (
        <Waiting title="Connecting" />
      )}
    </Panel>
  );
}
