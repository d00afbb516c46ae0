import { Link } from "wouter";
import { useNotifications } from "../../../api/alerts";
import type { Notification } from "../../../api/types";
import { count } from "../../../ui/format/numbers";
import { LoadMore } from "../../../ui/load-more";
import { Panel } from "../../../ui/page";
import { Empty } from "../../../ui/placeholders";
import { QueryResult } from "../../../ui/query-result";
import { Badge, type Tone } from "../../../ui/status";
import { Table } from "../../../ui/table";
import { Time } from "../../../ui/time";
import classes from "../alerts.module.css";

const STATES: Readonly<Record<Notification["state"], { word: string; tone: Tone }>> = {
  waiting: { word: "Waiting", tone: "warn" },
  sending: { word: "Sending", tone: "warn" },
  sent: { word: "Sent", tone: "good" },
  failed: { word: "Failed", tone: "bad" },
};

export function DeliveryLog() {
  const query = useNotifications();
  return (
    <Panel title="Delivery log" flush>
      <QueryResult query={query} what="the delivery log">
        {({ results }) =>
          results.length ? (
            <Table
              label="Delivery log"
              rows={results}
              rowKey={({ id }) => id}
              columns={[
                { name: "Time", cell: ({ created_at }) => <Time at={created_at} /> },
                { name: "Channel", cell: ({ channel }) => channel },
                {
                  name: "Message",
                  cell: ({ change, alert, alert_id }) => (
                    <div className={classes["alert"]}>
                      <span>{change.charAt(0).toUpperCase() + change.slice(1)}</span>
                      {alert_id && <Link href={`/alerts?alert=${alert_id}`}>{alert}</Link>}
                    </div>
                  ),
                },
                { name: "State", cell: (one) => <Outcome notification={one} /> },
                { name: "Attempts", numeric: true, wideOnly: true, cell: ({ attempts }) => count(attempts) },
              ]}
            />
          ) : (
            <Empty title="Nothing sent yet">
              Each message and what came of it is listed here for 30 days.
            </Empty>
          )
        }
      </QueryResult>
      <LoadMore query={query} />
    </Panel>
  );
}

function Outcome({ notification: { state, error, due_at, attempts } }: { notification: Notification }) {
  const { word, tone } = STATES[state];
  return (
    <div className={classes["alert"]}>
      <Badge tone={tone} plain>
        {word}
      </Badge>
      {error && <span className="soft">{error}</span>}
      {state === "waiting" && attempts > 0 && (
        <span className="soft">
          Next attempt <Time at={due_at} />
        </span>
      )}
    </div>
  );
}
