import type { HistoryPoint, Job } from "../../../api/types";
import { seconds } from "../../../ui/format/durations";
import { counted, rate } from "../../../ui/format/numbers";
import { Badge, type Tone } from "../../../ui/status";
import { Time } from "../../../ui/time";
import { lagHealth, type LagStatus } from "./lag-health";
import classes from "./lag.module.css";

const WORDS: Readonly<Record<LagStatus, readonly [Tone, string]>> = {
  unknown: ["idle", "Too early to tell"],
  keeping_up: ["good", "Keeping up"],
  catching_up: ["warn", "Catching up"],
  falling_behind: ["bad", "Falling behind"],
  stalled: ["bad", "Stalled"],
};

const MEANS: Readonly<Record<LagStatus, string>> = {
  unknown: "Fewer than three measurements are there.",
  keeping_up: "It reads as fast as records arrive.",
  catching_up: "It reads faster than records arrive.",
  falling_behind: "Records arrive faster than it reads.",
  stalled: "Records wait and none is read.",
};

export function LagHealthLine({ job, points }: { job: Job; points: readonly HistoryPoint[] }) {
  if (job.desired === "stopped") return <p><Badge tone="idle" plain>Stopped</Badge> <span className="soft">The lag grows with each record that arrives; resuming reads them all.</span></p>;
  const { standing, doneAt } = lagHealth(points);
  const [tone, word] = WORDS[standing];
  return (
    <p className={classes["verdict"]}>
      <Badge tone={tone}>{word}</Badge>
      <span>
        {counted(job.lag?.records, "record")}, {seconds(job.lag?.seconds)} behind; reads {rate(job.rows_per_second, "records")}. {MEANS[standing]}
        {doneAt !== null && <> Done at about <Time at={new Date(doneAt)} /> if it goes on like this.</>}
      </span>
    </p>
  );
}
