import { SegmentedControl } from "@mantine/core";
import { Link } from "wouter";
import { useLineageEvents } from "../../../api/openlineage";
import type { LineageEvent, LineageEventState, LineageReceiver } from "../../../api/types";
import { LoadMore } from "../../../ui/load-more";
import { Panel } from "../../../ui/page";
import { Empty } from "../../../ui/placeholders";
import { QueryResult } from "../../../ui/query-result";
import { Badge } from "../../../ui/status";
import { Table, type Column } from "../../../ui/table";
import { Time } from "../../../ui/time";
import { useUrlState } from "../../../ui/url-state";
import { isBelated, STATES, stateOf, TYPE_NAMES } from "./delivery-state";
import classes from "./openlineage.module.css";

const CHOICES = [
  { value: "", label: "All" },
  ...Object.entries(STATES).map(([value, { word }]) => ({ value, label: word })),
];

const COLUMNS: readonly Column<LineageEvent>[] = [
  { name: "Time", cell: ({ created_at }) => <Time at={created_at} /> },
  {
    name: "Event",
    cell: (event) => (
      <div className={classes["event"]}>
        <strong>{TYPE_NAMES[event.type]}</strong>
        {event.job_id ? (
          <Link href={`/jobs/${event.job_id}`}>{event.job_name}</Link>
        ) : (
          <span className="soft">{event.job_name}</span>
        )}
        {isBelated(event) && (
          <span className="soft">
            Happened <Time at={event.at} />
          </span>
        )}
      </div>
    ),
  },
  { name: "State", cell: (event) => <Outcome event={event} /> },
  { name: "Sent", wideOnly: true, cell: ({ sent_at }) => <Time at={sent_at} /> },
];

/** Each event of the last 7 days, and what came of it. */
export function DeliveryLog({ receiver }: { receiver: LineageReceiver }) {
  const [wanted, setWanted] = useUrlState("events", "");
  const state = stateOf(wanted);
  const query = useLineageEvents(state);
  return (
    <Panel
      title="Delivery log"
      flush
      aside={
        <SegmentedControl
          aria-label="Events by state"
          size="xs"
          data={CHOICES}
          value={state ?? ""}
          onChange={setWanted}
        />
      }
    >
      <QueryResult query={query} what="the delivery log">
        {({ results }) =>
          results.length ? (
            <Table label="Delivery log" rows={results} rowKey={({ id }) => id} columns={COLUMNS} />
          ) : (
            <NoEvents state={state} enabled={receiver.enabled} />
          )
        }
      </QueryResult>
      <LoadMore query={query} />
    </Panel>
  );
}

function Outcome({ event: { state, error } }: { event: LineageEvent }) {
  const { word, tone } = STATES[state];
  return (
    <div className={classes["outcome"]}>
      <Badge tone={tone} plain>
        {word}
      </Badge>
      {error && <span className="soft">{error}</span>}
    </div>
  );
}

function NoEvents({ state, enabled }: { state: LineageEventState | null; enabled: boolean }) {
  switch (state) {
    case "waiting":
      return <Empty title="No events wait">Every event was sent or given up.</Empty>;
    case "sent":
      return <Empty title="Nothing sent in 7 days" />;
    case "failed":
      return (
        <Empty title="Nothing given up in 7 days">
          An event is given up when the receiver refuses it, when it could not be delivered for a day, or when
          Weir could not build it.
        </Empty>
      );
    case null:
      return (
        <Empty title="No events yet">
          {enabled
            ? "Each event and what came of it is listed here for 7 days. Start a job to see its first."
            : "Turn sending on to write events."}
        </Empty>
      );
  }
}
