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
      <Badge tone="bad" plain>
        Breaks
      </Badge>
      <ul className={classes["details"]}>
        {details.map((detail) => (
          <li key={detail}>{detail}</li>
        ))}
      </ul>
    </>
  );
}

/** What a change does to each job, before it is made; those that break come first. */
export function ImpactList({ impacts }: { impacts: readonly JobImpact[] }) {
  if (!impacts.length) return <p className="soft">No jobs affected.</p>;
  const order = { breaks: 0, new_fields: 1, unaffected: 2 } as const;
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

export function broken(impacts: readonly JobImpact[]): string[] {
  return [...new Set(impacts.filter(({ impact }) => impact === "breaks").map(({ job_name }) => job_name))];
}
