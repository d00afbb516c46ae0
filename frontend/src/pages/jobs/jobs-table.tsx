import { Link } from "wouter";
import type { GroupHealth, JobSummary } from "../../api/types";
import { HEALTH } from "../../lag-health/health";
import { HealthBadge } from "../../lag-health/health-badge";
import { isReading } from "../../live/run-state";
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
    cell: ({ observed, desired, skipping, overload }) => (
      <>
        <StateBadge state={observed} overload={overload} plain />
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
    cell: ({ rows_per_second, observed }) => (isReading(observed) ? rate(rows_per_second, "records") : "–"),
  },
  {
    name: "Consumer lag",
    numeric: true,
    cell: ({ lag, lag_health }) => (
      <>
        {lag ? seconds(lag.seconds) : "–"}
        {lag && <div className={classes["sub"]}>{counted(lag.records, "record")}</div>}
        {lag_health && isWorthSaying(lag_health.health) && <HealthBadge judged={lag_health} />}
      </>
    ),
  },
  {
    name: "Freshness",
    numeric: true,
    wideOnly: true,
    cell: ({ freshness_ms, observed }) => (isReading(observed) ? duration(freshness_ms) : "–"),
  },
];

/** A job that keeps up, or of which too little is known, says nothing more than its lag. */
function isWorthSaying(health: GroupHealth): boolean {
  return HEALTH[health].tone === "bad" || health === "catching_up";
}

/** True if desired and observed state differ enough to show both. */
function differs(desired: JobSummary["desired"], observed: JobSummary["observed"]): boolean {
  if (observed === "never_started") return desired === "running";
  return desired !== observed;
}

export function JobsTable({ jobs }: { jobs: readonly JobSummary[] }) {
  return <Table label="Jobs" columns={COLUMNS} rows={jobs} rowKey={({ id }) => id} />;
}
