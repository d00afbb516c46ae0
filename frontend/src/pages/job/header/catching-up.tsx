import { Progress } from "@mantine/core";
import type { JobSummary } from "../../../api/types";
import { counted, rate, share } from "../../../ui/format/numbers";
import { Badge } from "../../../ui/status";
import { Time } from "../../../ui/time";
import classes from "./header.module.css";

/** A run that reads a backlog in micro-batches: how far it is, how fast, and when it will be there. */
export function CatchingUpPanel({ at }: { at: NonNullable<JobSummary["catching_up"]> }) {
  const { since_us, records_left, share_read, records_per_second, done_us } = at;
  return (
    <div className={classes["progress"]}>
      <span>
        <Badge tone="warn" plain>
          Catching up
        </Badge>
        <span className="soft">
          {" "}
          since <Time at={new Date(since_us / 1_000)} />
        </span>
      </span>
      <Progress value={100 * (share_read ?? 0)} aria-label="Backlog read" />
      <p>
        {share_read !== null && <>{share(share_read)} read, </>}
        {counted(records_left, "record")} left
        {records_per_second !== null && <>, at {rate(records_per_second, "records")}</>}.{" "}
        {done_us !== null ? (
          <>
            Estimated to catch up at <Time at={new Date(done_us / 1_000)} />.
          </>
        ) : records_per_second === null ? (
          <>The time it takes is known after the first batch.</>
        ) : (
          <>Records arrive as fast as they are read.</>
        )}{" "}
        The job reads in micro-batches meanwhile and returns to real-time mode by itself.
      </p>
    </div>
  );
}
