import { Link } from "wouter";
import type { Overview } from "../../api/types";
import { Panel } from "../../ui/page";
import { Badge } from "../../ui/status";
import classes from "./overview.module.css";

/** Jobs that need attention, and why. */
export function Attention({ rows }: { rows: Overview["attention"] }) {
  return (
    <Panel title="Needs attention" flush>
      <ul className={classes["list"]}>
        {rows.map(({ job_id, name, severity, reason }) => (
          <li key={job_id} className={classes["attention"]}>
            <Badge tone={severity === "error" ? "bad" : "warn"} plain>
              <Link href={`/jobs/${job_id}`}>{name}</Link>
            </Badge>
            <span>{reason}</span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
