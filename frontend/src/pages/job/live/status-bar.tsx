import { Button } from "@mantine/core";
import { useConnection } from "../../../api/live";
import type { Job } from "../../../api/types";
import { MAX_PENDING, type ResultView } from "../../../live/result-store";
import { duration } from "../../../ui/format/durations";
import { count, counted, rate } from "../../../ui/format/numbers";
import { Icon } from "../../../ui/icons";
import { Badge } from "../../../ui/status";
import { Time } from "../../../ui/time";
import { Export } from "./export";
import { gapText } from "../../../ui/labels";
import classes from "./live.module.css";

/** Connected · 38 updates/s · latency 0.1 s · resumed at … · missed updates, if any. */
export function StatusBar({
  view,
  job,
  onPause,
}: {
  view: ResultView;
  job: Job;
  onPause: (paused: boolean) => void;
}) {
  const state = view.status?.observed ?? job.observed;
  return (
    <div className={classes["statusBar"]}>
      <ul className={classes["facts"]}>
        <li>
          <Connection />
        </li>
        <li>{rate(view.rowsPerSecond, "updates")}</li>
        {view.latencyMs !== null && <li>latency {duration(view.latencyMs)}</li>}
        {state === "replaying" && (
          <li>
            <Badge tone="warn" plain>
              Replaying, live results paused
            </Badge>
          </li>
        )}
        {state === "stopped" && job.desired === "stopped" && (
          <li>
            <Badge tone="idle" plain>
              Stopped
            </Badge>
          </li>
        )}
        {view.gap && (
          <li>
            <Badge tone="warn" plain>
              Missed updates at <Time at={new Date(view.gap.at)} />: {gapText(view.gap.reason)}
            </Badge>
          </li>
        )}
        {view.conflated > 0 && (
          <li className="soft">{counted(view.conflated, "intermediate update")} skipped</li>
        )}
      </ul>
      <div className={classes["buttons"]}>
        <Export jobId={job.id} />
        <Button
          variant={view.paused ? "filled" : "default"}
          onClick={() => {
            onPause(!view.paused);
          }}
          leftSection={<Icon name={view.paused ? "play" : "pause"} size={14} />}
        >
          {view.paused
            ? `Resume (${count(view.pending)}${view.pending >= MAX_PENDING ? "+" : ""} buffered)`
            : "Pause"}
        </Button>
      </div>
    </div>
  );
}

function Connection() {
  const connection = useConnection();
  if (connection.state === "connected" || (connection.state === "lost" && !connection.visible)) {
    return (
      <>
        <Badge tone="good" plain>
          Connected
        </Badge>
        {connection.resumed > 0 && (
          <span className="soft">
            {" "}
            · resumed at <Time at={new Date(connection.since)} />
          </span>
        )}
      </>
    );
  }
  if (connection.state === "connecting")
    return (
      <Badge tone="warn" plain>
        Connecting
      </Badge>
    );
  return (
    <Badge tone="bad" plain>
      Disconnected since <Time at={new Date(connection.since)} />
    </Badge>
  );
}
