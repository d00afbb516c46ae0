import { Link } from "wouter";
import type { JobSummary } from "../../api/types";
import { duration, seconds } from "../../ui/format/durations";
import { counted, rate, share } from "../../ui/format/numbers";
import { Badge, StateBadge } from "../../ui/status";
import { Table, type Column } from "../../ui/table";
import { Ago } from "../../ui/time";
import { modeLabel } from "../../ui/labels";
import classes from "./jobs.module.css";

const COLUMNS: readonly Column<JobSummary>[] = [
  {
    name: "Job",
    cell: ({ id, name, description }) => (
      <>
        <Link href={`/jobs/${id}`} className={classes["name"]}>
          {name}
        </Link>
        {description && (
          <div className={`${classes["sub"] ?? ""} ${classes["about"] ?? ""} clip`} title={description}>
            {description}
          </div>
        )}
      </>
    ),
  },
  {
    name: "Status",
    term: "Job status",
    cell: ({ observed, desired, skipping }) => (
      <>
        <StateBadge state={observed} plain />
        {differs(desired, observed) && <div className={classes["sub"]}>Desired: {desired}</div>}
        {skipping.map(({ source, share: skipped }) => (
          <div key={source} className={classes["sub"]}>
            <Badge tone="bad" plain>
              Skips {share(skipped)} of {source}
            </Badge>
          </div>
        ))}
      </>
    ),
  },
  {
    name: "Last seen",
    wideOnly: true,
    cell: ({ last_seen_at, observed }) => (
      <span className="soft">{observed === "never_started" ? "–" : <Ago at={last_seen_at} />}</span>
    ),
  },
  { name: "Execution mode", wideOnly: true, cell: ({ mode }) => (mode ? modeLabel(mode.mode) : "–") },
  {
    name: "Input rate",
    numeric: true,
    wideOnly: true,
    cell: ({ rows_per_second, observed }) => (isLive(observed) ? rate(rows_per_second, "records") : "–"),
  },
  {
    name: "Consumer lag",
    numeric: true,
    cell: ({ lag }) =>
      lag ? (
        <>
          {seconds(lag.seconds)}
          <div className={classes["sub"]}>{counted(lag.records, "record")}</div>
        </>
      ) : (
        "–"
      ),
  },
  {
    name: "Freshness",
    numeric: true,
    wideOnly: true,
    cell: ({ freshness_ms, observed }) => (isLive(observed) ? duration(freshness_ms) : "–"),
  },
];

function isLive(observed: JobSummary["observed"]): boolean {
  return observed === "running" || observed === "replaying";
}

/** True if desired and observed state differ enough to show both. */
function differs(desired: JobSummary["desired"], observed: JobSummary["observed"]): boolean {
  if (observed === "never_started") return desired === "running";
  return desired !== observed;
}

export function JobsTable({ jobs }: { jobs: readonly JobSummary[] }) {
  return <Table label="Jobs" columns={COLUMNS} rows={jobs} rowKey={({ id }) => id} />;
}
