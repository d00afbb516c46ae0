import { useContext } from "react";
import { Link } from "wouter";
import { useAlerts } from "../../api/alerts";
import { AlertsContext } from "../../api/live";
import { Ago } from "../../ui/time";
import { AlertStateText, SeverityBadge } from "./alert-state";
import classes from "./alerts.module.css";

/** What fires for a job; nothing where nothing does. */
export function JobAlerts({ jobId }: { jobId: string }) {
  const frame = useContext(AlertsContext);
  if (!frame?.open.some(({ job_id }) => job_id === jobId)) return null;
  return <Open jobId={jobId} />;
}

function Open({ jobId }: { jobId: string }) {
  const { data } = useAlerts({ state: "open", job: jobId });
  const firing = data?.results.filter(({ state }) => state === "firing") ?? [];
  if (!firing.length) return null;
  return (
    <section className={classes["ofJob"]} aria-label="Alerts of this job">
      <ul>
        {firing.slice(0, 5).map((alert) => (
          <li key={alert.id}>
            <SeverityBadge severity={alert.severity} />
            <Link href={`/alerts?alert=${alert.id}`}>{alert.rule}</Link>
            <span className="soft">{alert.condition}</span>
            <AlertStateText alert={alert} />
            <span className="soft">
              started <Ago at={alert.since} />
            </span>
          </li>
        ))}
      </ul>
      {firing.length > 5 && <Link href="/alerts">{firing.length - 5} more</Link>}
    </section>
  );
}
