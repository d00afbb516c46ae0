import { Link } from "wouter";
import type { WorkspaceEvent } from "../../api/types";
import { Empty } from "../../ui/placeholders";
import { Ago } from "../../ui/time";
import classes from "./overview.module.css";

export function Events({ events }: { events: readonly WorkspaceEvent[] }) {
  if (!events.length)
    return <Empty title="No events yet">Job starts, stops, failures and new versions appear here.</Empty>;
  return (
    <ul className={classes["list"]}>
      {events.slice(0, 12).map((event) => (
        <li key={`${event.at} ${event.text}`} className={classes["event"]}>
          <span className="soft">
            <Ago at={event.at} />
          </span>
          <span>{event.job_id ? <Link href={`/jobs/${event.job_id}`}>{event.text}</Link> : event.text}</span>
        </li>
      ))}
    </ul>
  );
}
