import { Link } from "wouter";
import type { JobImpact } from "../../api/types";
import { Badge } from "../../ui/status";
import { Table, type Column } from "../../ui/table";
import classes from "./schemas.module.css";

const COLUMNS: readonly Column<JobImpact>[] = [
  {
    name: "Job",
    cell: ({ job_id, job_name }) => (
      <Link href={`/jobs/${job_id}`}>
        <strong>{job_name}</strong>
      </Link>
    ),
  },
  { name: "Stream", wideOnly: true, cell: ({ stream }) => <Link href={`/streams/${stream}`}>{stream}</Link> },
  { name: "Impact", cell: (job) => <WhatHappens job={job} /> },
];

function WhatHappens({ job: { impact, details } }: { job: JobImpact }) {
  if (impact === "unaffected")
    return (
      <Badge tone="good" plain>
        Unaffected
      </Badge>
    );
  if (impact === "new_fields")
    return (
      <>
        <Badge tone="good" plain>
          Sees new fields
        </Badge>{" "}
        after a restart: <code>{details.join(", ")}</code>
      </>
    );
  return (
    <>
      <Badge tone={impact === "resets_state" ? "warn" : "bad"} plain>
        {impact === "resets_state" ? "Resets state at its next start" : "Breaks"}
      </Badge>
      <ul className={classes["details"]}>
        {details.map((detail) => (
          <li key={detail}>{detail}</li>
        ))}
      </ul>
    </>
  );
}

/** What a change does to each job, before it is made; those that break or lose their state come first. */
export function ImpactList({ impacts }: { impacts: readonly JobImpact[] }) {
  if (!impacts.length) return <p className="soft">No jobs affected.</p>;
  const order = { breaks: 0, resets_state: 1, new_fields: 2, unaffected: 3 } as const;
  const sorted = [...impacts].sort((one, other) => order[one.impact] - order[other.impact]);
  return (
    <Table
      label="Impact on jobs"
      columns={COLUMNS}
      rows={sorted}
      rowKey={({ job_id, stream }) => `${job_id}/${stream}`}
    />
  );
}

/** Names of the jobs that a change has this impact on. */
export function jobsWith(impacts: readonly JobImpact[], wanted: JobImpact["impact"]): string[] {
  return [...new Set(impacts.filter(({ impact }) => impact === wanted).map(({ job_name }) => job_name))];
}
