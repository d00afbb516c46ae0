import type { Job } from "../../../api/types";
import { HEALTH, healthNote, lossNote } from "../../../lag-health/health";
import { seconds } from "../../../ui/format/durations";
import { counted, rate } from "../../../ui/format/numbers";
import { Badge } from "../../../ui/status";
import { Time, useNow } from "../../../ui/time";
import classes from "./lag.module.css";

/** Whether the job keeps up, until when it has caught up, and when records are lost. */
export function LagHealthLine({ job }: { job: Job }) {
  const now = useNow();
  const health = job.lag_health;
  const loss = health && lossNote(health);
  if (job.desired === "stopped")
    return (
      <p className={classes["health"]}>
        <Badge tone="idle" plain>
          Stopped
        </Badge>
        <span className="soft">Lag grows while stopped; resuming reads what the topic still has.</span>
        {loss && <LossBadge {...loss} />}
      </p>
    );
  const { word, tone, means } = HEALTH[health?.health ?? "unknown"];
  const note = health ? healthNote(health, now) : "";
  return (
    <p className={classes["health"]}>
      <Badge tone={tone}>{word}</Badge>
      {loss && <LossBadge {...loss} />}
      <span>
        {note && <strong>{note}. </strong>}
        {job.lag && (
          <>
            {behind(job.lag)};{" "}
            {job.rows_per_second === null
              ? "how fast it reads isn't measured yet."
              : `reading ${rate(job.rows_per_second, "records")} over the last minute.`}{" "}
          </>
        )}
        {means}
        {job.rate_limit !== null && <> Limited to {rate(job.rate_limit, "records")} per stream.</>}
        {typeof health?.catch_up_s === "number" && (
          <>
            {" "}
            Estimated to catch up at <Time at={new Date(now + health.catch_up_s * 1000)} />.
          </>
        )}
      </span>
    </p>
  );
}

/** Where the lag in time isn't known, or is a lower bound, that in records is all that can be said. */
function behind({ records, seconds: time }: NonNullable<Job["lag"]>): string {
  return [counted(records, "record"), ...(time === null ? [] : [seconds(time)])].join(", ") + " behind";
}

function LossBadge({ text, tone }: NonNullable<ReturnType<typeof lossNote>>) {
  return (
    <span title="Until retention deletes records that the job has not read.">
      <Badge tone={tone} plain>
        Records lost {text === "now" ? text : `in ${text}`}
      </Badge>
    </span>
  );
}
