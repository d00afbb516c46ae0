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
}: {
  failure: Failure;
  since: string | null;
  retryAt: string | null;
}) {
  return (
    <div className={classes["failure"]} role="alert">
      <span>
        <Badge tone="bad" plain>
          {failure.code.replaceAll("_", " ").toLowerCase()}
        </Badge>
        {since && (
          <span className="soft">
            {" "}
            at <Time at={since} />
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
