import type { Job, JobHistory } from "../../../api/types";
import { seconds } from "../../../ui/format/durations";
import { counted, rate } from "../../../ui/format/numbers";
import { Badge, type Tone } from "../../../ui/status";
import { Time } from "../../../ui/time";
import { lagHealth, UNKNOWN_HEALTH, type LagStatus } from "./lag-health";
import classes from "./lag.module.css";

const WORDS: Readonly<Record<LagStatus, readonly [Tone, string]>> = {
  unknown: ["idle", "Too early to tell"],
  keeping_up: ["good", "Keeping up"],
  catching_up: ["warn", "Catching up"],
  falling_behind: ["bad", "Falling behind"],
  stalled: ["bad", "Stalled"],
};

const MEANS: Readonly<Record<LagStatus, string>> = {
  unknown: "Needs a minute of measurements.",
  keeping_up: "The job reads as fast as records are written; lag does not grow.",
  catching_up: "The job reads faster than records are written.",
  falling_behind: "Records are written faster than the job reads.",
  stalled: "Records are waiting, but none are read.",
};

export function LagHealthLine({ job, history }: { job: Job; history: JobHistory | undefined }) {
  if (job.desired === "stopped")
    return (
      <p>
        <Badge tone="idle" plain>
          Stopped
        </Badge>{" "}
        <span className="soft">Lag grows while stopped; resuming reads everything.</span>
      </p>
    );
  const { standing, doneAt } = history ? lagHealth(history) : UNKNOWN_HEALTH;
  const [tone, word] = WORDS[standing];
  return (
    <p className={classes["health"]}>
      <Badge tone={tone}>{word}</Badge>
      <span>
        {counted(job.lag?.records, "record")}, {seconds(job.lag?.seconds)} behind; reading{" "}
        {rate(job.rows_per_second, "records")} over the last minute. {MEANS[standing]}
        {doneAt !== null && (
          <>
            {" "}
            Estimated to catch up at <Time at={new Date(doneAt)} />.
          </>
        )}
      </span>
    </p>
  );
}
