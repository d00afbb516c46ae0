import { Link } from "wouter";
import { useJobs } from "../../../api/jobs";
import type { AuditEvent } from "../../../api/types";
import { Table, type Column } from "../../../ui/table";
import { Time } from "../../../ui/time";
import { ACTIONS, KINDS } from "./audit-filter";
import classes from "./audit.module.css";

/** The events, newest first. Jobs that are still there are called by their name. */
export function AuditTable({ events }: { events: readonly AuditEvent[] }) {
  const jobs = useJobs();
  const names = new Map((jobs.data?.results ?? []).map(({ id, name }) => [id, name]));
  const columns: readonly Column<AuditEvent>[] = [
    { name: "Time", wideOnly: true, cell: ({ at }) => <Time at={at} long /> },
    {
      name: "User",
      cell: (event) => (
        <>
          {event.actor ? <strong className={classes["name"]}>{event.actor}</strong> : <em>Weir</em>}
          <div className={classes["narrowOnly"]}>
            <Time at={event.at} long />
            <br />
            <Address event={event} />
          </div>
        </>
      ),
    },
    {
      name: "Action",
      wideOnly: true,
      cell: ({ action }) => (action ? ACTIONS[action] : <NotRecorded />),
    },
    { name: "Object", wideOnly: true, cell: (event) => <EventObject event={event} names={names} /> },
    { name: "What happened", cell: ({ text }) => <span className={classes["text"]}>{text}</span> },
    { name: "Address", wideOnly: true, cell: (event) => <Address event={event} /> },
  ];
  return <Table label="Audit trail" columns={columns} rows={events} rowKey={({ id }) => id} />;
}

function NotRecorded() {
  return <span className="soft nowrap">Not recorded</span>;
}

/** Where the request came from. What Weir does by itself comes from nowhere. */
function Address({ event: { actor, address } }: { event: AuditEvent }) {
  if (address) return <code className={classes["address"]}>{address}</code>;
  return actor ? <NotRecorded /> : <span className="soft">–</span>;
}

/** Pages of objects by kind; what has none, or is no more, is only named. */
const PAGES: Readonly<Partial<Record<AuditEvent["kind"], string>>> = {
  stream: "/streams",
  schema: "/schemas",
};

function EventObject({
  event: { kind, action, subject },
  names,
}: {
  event: AuditEvent;
  names: Map<string, string>;
}) {
  const job = kind === "job" ? names.get(subject) : undefined;
  const page = action === "deleted" ? undefined : PAGES[kind];
  const name = subject && kind !== "member" && <code className={classes["name"]}>{job ?? subject}</code>;
  const href = job ? `/jobs/${subject}` : page && `${page}/${encodeURIComponent(subject)}`;
  return (
    <>
      <div>{KINDS[kind]}</div>
      {name && (href ? <Link href={href}>{name}</Link> : name)}
    </>
  );
}
