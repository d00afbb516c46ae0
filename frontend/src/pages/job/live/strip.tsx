import { Button } from "@mantine/core";
import { useLink } from "../../../api/live";
import type { Job } from "../../../api/types";
import type { Picture } from "../../../live/results";
import { duration } from "../../../ui/format/durations";
import { count, counted, rate } from "../../../ui/format/numbers";
import { Icon } from "../../../ui/icons";
import { Mark } from "../../../ui/status";
import { Time } from "../../../ui/time";
import { Export } from "./export";
import { gapWords } from "../../../ui/words";
import classes from "./live.module.css";

/** connected · 38 rows/s · delay 0.1 s · resumed at … · a gap when there was one. */
export function Strip({ picture, job, onPause }: { picture: Picture; job: Job; onPause: (paused: boolean) => void }) {
  const state = picture.status?.state ?? job.observed;
  return (
    <div className={classes["strip"]}>
      <ul className={classes["facts"]}>
        <li><Connection /></li>
        <li>{rate(picture.rowsPerSecond, "changed rows")}</li>
        {picture.delayMs !== null && <li>arrival to screen {duration(picture.delayMs)}</li>}
        {state === "replaying" && <li><Mark tone="warn" plain>replaying, results are held back</Mark></li>}
        {state === "stopped" && job.desired === "stopped" && <li><Mark tone="idle" plain>stopped, nothing will change</Mark></li>}
        {picture.gap && <li><Mark tone="warn" plain>gap at <Time at={new Date(picture.gap.at)} />: {gapWords(picture.gap.reason)}</Mark></li>}
        {picture.conflated > 0 && <li className="soft">{counted(picture.conflated, "intermediate value")} skipped</li>}
      </ul>
      <div className={classes["buttons"]}>
      <Export jobId={job.id} />
      <Button
        variant={picture.paused ? "filled" : "default"}
        onClick={() => { onPause(!picture.paused); }}
        leftSection={<Icon name={picture.paused ? "play" : "pause"} size={14} />}
      >
        {picture.paused ? `Go on (${count(picture.held)} ${picture.held === 1 ? "row waits" : "rows wait"})` : "Pause"}
      </Button>
      </div>
    </div>
  );
}

function Connection() {
  const link = useLink();
  if (link.state === "connected" || (link.state === "lost" && !link.told)) {
    return (
      <>
        <Mark tone="good" plain>Connected</Mark>
        {link.resumed > 0 && <span className="soft"> · resumed at <Time at={new Date(link.since)} /></span>}
      </>
    );
  }
  if (link.state === "connecting") return <Mark tone="warn" plain>Connecting</Mark>;
  return <Mark tone="bad" plain>Not connected since <Time at={new Date(link.since)} /></Mark>;
}
