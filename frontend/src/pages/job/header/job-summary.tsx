import { Tooltip } from "@mantine/core";
import { useJobHistory } from "../../../api/history";
import type { Job } from "../../../api/types";
import { Sparkline } from "../../../charts/sparkline";
import { isReading } from "../../../live/run-state";
import { DescriptionItem, DescriptionList } from "../../../ui/description-list";
import { duration, seconds } from "../../../ui/format/durations";
import { counted, rate } from "../../../ui/format/numbers";
import { Ago, Time } from "../../../ui/time";
import { StateBadge } from "../../../ui/status";
import { modeLabel } from "../../../ui/labels";
import classes from "./header.module.css";

/** Desired state, observed state and last heartbeat are shown side by side; none is derived from another. */
export function JobInfo({ job }: { job: Job }) {
  const started = job.observed !== "never_started";
  return (
    <DescriptionList>
      <DescriptionItem
        label="Status"
        term="Job status"
        note={
          started ? (
            <>
              {job.observed_since && (
                <>
                  since <Time at={job.observed_since} />,{" "}
                </>
              )}
              last seen <Ago at={job.last_seen_at} />
            </>
          ) : (
            "Not started yet"
          )
        }
      >
        <StateBadge state={job.observed} overload={job.overload} plain />
      </DescriptionItem>
      <DescriptionItem label="Desired state" note={versionText(job)}>
        {job.desired === "running" ? "Running" : "Stopped"}
      </DescriptionItem>
      <DescriptionItem label="Execution mode" note={<ModeReason job={job} />}>
        <span className="words">{job.mode ? modeLabel(job.mode.mode) : "–"}</span>
      </DescriptionItem>
      <DescriptionItem label="Consumer lag" note={counted(job.lag?.records, "record")}>
        <span className={classes["trend"]}>
          {seconds(job.lag?.seconds)} <LagTrend jobId={job.id} />
        </span>
      </DescriptionItem>
      <DescriptionItem label="Freshness" note="Age of the newest input in the results">
        {duration(job.observed === "running" ? job.freshness_ms : null)}
      </DescriptionItem>
      <DescriptionItem
        label="Input rate"
        note={
          job.engine ? `${measuredText(job)}; ${job.engine.kind} engine, ${job.engine.state}` : "No engine"
        }
      >
        {rate(isReading(job.observed) ? job.rows_per_second : null, "records")}
      </DescriptionItem>
    </DescriptionList>
  );
}

/** Over what the rate is; in the first seconds of a run there is none. */
function measuredText({ observed, rows_per_second: perSecond }: Job): string {
  return isReading(observed) && perSecond === null ? "not measured yet" : "last minute";
}

function versionText({ version, running_version, generation }: Job): string {
  const which =
    running_version === null
      ? `v${String(version)} is the latest`
      : running_version === version
        ? `v${String(version)} running`
        : `v${String(running_version)} running, v${String(version)} latest`;
  return generation === null ? which : `${which} · generation ${String(generation)}`;
}

function ModeReason({ job }: { job: Job }) {
  const reasons = job.mode?.reasons ?? [];
  if (job.draining) return "Catching up in micro-batches, which is faster";
  if (!reasons.length) return "Chosen at start";
  return (
    <Tooltip label={reasons.join(" · ")}>
      <span className={classes["reason"]} tabIndex={0}>
        {reasons[0]}
      </span>
    </Tooltip>
  );
}

function LagTrend({ jobId }: { jobId: string }) {
  const values = useJobHistory(jobId).data?.measures.lag_seconds.avg.slice(-60) ?? [];
  return <Sparkline values={values} label="Consumer lag over the last ten minutes" />;
}
