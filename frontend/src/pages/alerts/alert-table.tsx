import { Link, useLocation } from "wouter";
import type { Alert } from "../../api/types";
import { Table, type Column } from "../../ui/table";
import { Ago, Time } from "../../ui/time";
import { AlertStateText, SeverityBadge } from "./alert-state";
import classes from "./alerts.module.css";

/** Alerts with their rule; the title opens the details. */
export function AlertTable({
  label,
  alerts,
  actions,
  resolved = false,
}: {
  label: string;
  alerts: readonly Alert[];
  actions?: Column<Alert>;
  resolved?: boolean;
}) {
  const [location] = useLocation();
  const columns: Column<Alert>[] = [
    {
      name: "Alert",
      cell: (alert) => {
        const { id, title, rule, condition, severity, since } = alert;
        return (
          <div className={classes["alert"]}>
            <span className={classes["titleLine"]}>
              <SeverityBadge severity={severity} />
              <Link href={`${location}?alert=${id}`}>
                <strong>{rule}</strong>
              </Link>
            </span>
            <span>{title}</span>
            <span className="soft">{condition}</span>
            <div className={classes["narrowOnly"]}>
              {!resolved && <AlertStateText alert={alert} />}
              <span className="soft">
                started <Ago at={since} />
              </span>
              {actions?.cell(alert)}
            </div>
          </div>
        );
      },
    },
    ...(resolved
      ? []
      : [{ name: "State", wideOnly: true, cell: (alert: Alert) => <AlertStateText alert={alert} /> }]),
    { name: "Started", wideOnly: true, cell: ({ since }) => <Ago at={since} /> },
    ...(resolved
      ? [
          { name: "Resolved", cell: ({ resolved_at }: Alert) => <Time at={resolved_at} /> },
          {
            name: "Acknowledged by",
            wideOnly: true,
            cell: ({ acknowledged_by }: Alert) => acknowledged_by || "–",
          },
        ]
      : []),
    ...(actions ? [{ ...actions, wideOnly: true }] : []),
  ];
  return <Table label={label} rows={alerts} rowKey={({ id }) => id} columns={columns} />;
}
