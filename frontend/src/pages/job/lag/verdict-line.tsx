import type { HistoryPoint, Job } from "../../../api/types";
import { seconds } from "../../../ui/format/durations";
import { counted, rate } from "../../../ui/format/numbers";
import { Mark, type Tone } from "../../../ui/status";
import { Time } from "../../../ui/time";
import { verdict, type Standing } from "./verdict";
import classes from "./lag.module.css";

const WORDS: Readonly<Record<Standing, readonly [Tone, string]>> = {
  unknown: ["idle", "Too early to tell"],
  keeping_up: ["good", "Keeping up"],
  catching_up: ["warn", "Catching up"],
  falling_behind: ["bad", "Falling behind"],
  stalled: ["bad", "Stalled"],
};

const MEANS: Readonly<Record<Standing, string>> = {
  unknown: "Fewer than three measurements are there.",
  keeping_up: "It reads as fast as records arrive.",
  catching_up: "It reads faster than records arrive.",
  falling_behind: "Records arrive faster than it reads.",
  stalled: "Records wait and none is read.",
};

export function VerdictLine({ job, points }: { job: Job; points: readonly HistoryPoint[] }) {
  if (job.desired === "stopped") return <p><Mark tone="idle" plain>Stopped</Mark> <span className="soft">The lag grows with each record that arrives; resuming reads them all.</span></p>;
  const { standing, doneAt } = verdict(points);
  const [tone, word] = WORDS[standing];
  return (
    <p className={classes["verdict"]}>
      <Mark tone={tone}>{word}</Mark>
      <span>
        {counted(job.lag?.messages, "message")}, {seconds(job.lag?.seconds)} behind; reads {rate(job.rows_per_second, "records")}. {MEANS[standing]}
        {doneAt !== null && <> Done at about <Time at={new Date(doneAt)} /> if it goes on like this.</>}
      </span>
    </p>
  );
}
