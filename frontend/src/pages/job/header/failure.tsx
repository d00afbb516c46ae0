import type { Failure } from "../../../api/types";
import { RawText } from "../../../ui/placeholders";
import { Badge } from "../../../ui/status";
import { Time } from "../../../ui/time";
import classes from "./header.module.css";

/** What happened, in plain words; the engine's own text folded under it. */
export function FailurePanel({
  failure,
  since,
  retryAt,
  waits = false,
}: {
  failure: Failure;
  since: string | null;
  retryAt: string | null;
  /** It has not failed, but waits for something. */
  waits?: boolean;
}) {
  return (
    <div className={classes["failure"]} role={waits ? "status" : "alert"}>
      <span>
        <Badge tone={waits ? "warn" : "bad"} plain>
          {failure.code.replaceAll("_", " ").toLowerCase()}
        </Badge>
        {since && (
          <span className="soft">
            {" "}
            {waits ? "since" : "at"} <Time at={since} />
          </span>
        )}
      </span>
      <p>{failure.message}</p>
      {retryAt && (
        <p className="soft">
          Next retry at <Time at={retryAt} />.
        </p>
      )}
      <RawText text={failure.raw} label="Engine error" />
    </div>
  );
}
