import { Link } from "wouter";
import type { JobSummary } from "../../../api/types";
import { count, share } from "../../../ui/format/numbers";
import { Badge } from "../../../ui/status";
import { Time } from "../../../ui/time";
import { recordAddress } from "./record-address";
import classes from "./header.module.css";

/** A source of which so many records are malformed that the results may be missing most of it. */
export function SkippingPanel({
  skipping: { source, stream, records, malformed, share: skipped, reason, reason_records, example, since },
}: {
  skipping: JobSummary["skipping"][number];
}) {
  return (
    <div className={classes["failure"]}>
      <span>
        <Badge tone="bad" plain>
          {malformed >= records
            ? `Every record of ${source} is skipped`
            : `${share(skipped)} of ${source} is skipped`}
        </Badge>
        {/* Read out once: the numbers beside it change all the time. */}
        <span role="alert" className="visually-hidden">
          Records of {source} are skipped
        </span>
        <span className="soft">
          {" "}
          since <Time at={since} />
        </span>
      </span>
      <p>
        {count(malformed)} of {count(records)} records {malformed === 1 ? "doesn't" : "don't"} fit the
        contract of <Link href={`/streams/${stream}/contract`}>{stream}</Link> and{" "}
        {malformed === 1 ? "doesn't become a row" : "don't become rows"}. The most common reason:{" "}
        <code>{reason}</code> ({count(reason_records)}).{" "}
        {example && (
          <>
            Example:{" "}
            <Link href={recordAddress(stream, example)}>
              partition {example.partition}, offset {example.offset}
            </Link>
            {example.reason !== reason && (
              <>
                {" "}
                (<code>{example.reason}</code>)
              </>
            )}
            .{" "}
          </>
        )}
        {reason.startsWith("KEY_")
          ? "Check the key format of the contract."
          : "Check the format and fields of the contract."}
      </p>
    </div>
  );
}
