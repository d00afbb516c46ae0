import { Link } from "wouter";
import { useLag } from "../../../api/jobs";
import type { Job } from "../../../api/types";
import { count, share } from "../../../ui/format/numbers";
import { Badge } from "../../../ui/status";
import { malformedTotal } from "./malformed-total";

/** How much of the input is malformed, with the way to the reasons; nothing while there is none. */
export function MalformedLine({ job }: { job: Job }) {
  const total = malformedTotal(useLag(job.id).data?.counts, job.skipping);
  if (!total) return null;
  return (
    <p>
      {/* Read out once: the numbers beside it change all the time. */}
      <span role="status" className="visually-hidden">
        Malformed records are skipped
      </span>
      <Badge tone="warn" plain>
        {share(total.malformed / total.records)} malformed
      </Badge>{" "}
      {count(total.malformed)} of {count(total.records)} records{" "}
      {total.malformed === 1 ? "doesn't fit its contract and is" : "don't fit their contract and are"}{" "}
      skipped. <Link href={`/jobs/${job.id}/problems`}>Show reasons</Link>
    </p>
  );
}
