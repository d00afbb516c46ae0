import { Button } from "@mantine/core";
import { Link } from "wouter";
import { useAcknowledge, useAlert } from "../../api/alerts";
import type { Alert } from "../../api/types";
import { useMay } from "../../api/workspace-context";
import { DescriptionItem, DescriptionList } from "../../ui/description-list";
import { heldOpen, OpenDialog } from "../../ui/open-dialog";
import { QueryResult } from "../../ui/query-result";
import { RequestError } from "../../ui/request-error";
import { Time } from "../../ui/time";
import { useUrlState } from "../../ui/url-state";
import { placeOf } from "./alert-place";
import { AlertStateText, SeverityBadge } from "./alert-state";
import classes from "./alerts.module.css";

/** The alert that the address names: where links in messages lead. */
export function AlertDetail() {
  const [id, setId] = useUrlState("alert", "");
  if (id === "") return null;
  return (
    <Detail
      key={id}
      id={id}
      onClose={() => {
        setId(null);
      }}
    />
  );
}

function Detail({ id, onClose }: { id: string; onClose: () => void }) {
  const query = useAlert(id);
  const acknowledge = useAcknowledge();
  return (
    <OpenDialog
      onClose={onClose}
      {...heldOpen(acknowledge.isPending)}
      size="lg"
      title={<strong>Alert</strong>}
    >
      <QueryResult query={query} what="the alert">
        {(alert) => <Facts alert={alert} acknowledge={acknowledge} />}
      </QueryResult>
    </OpenDialog>
  );
}

interface FactsProps {
  alert: Alert;
  acknowledge: ReturnType<typeof useAcknowledge>;
}

function Facts({ alert, acknowledge }: FactsProps) {
  const mayEdit = useMay("edit");
  const place = placeOf(alert);
  return (
    <div className={classes["detail"]}>
      <h2>{alert.rule}</h2>
      <p>{alert.title}</p>
      <DescriptionList>
        <DescriptionItem label="State">
          <AlertStateText alert={alert} />
        </DescriptionItem>
        <DescriptionItem label="Severity">
          <SeverityBadge severity={alert.severity} />
        </DescriptionItem>
        <DescriptionItem label="Condition">
          <code>{alert.condition}</code>
        </DescriptionItem>
        <Instant label="Started" at={alert.since} />
        <Instant label="Fired" at={alert.fired_at} />
        <Instant label="Acknowledged" at={alert.acknowledged_at} />
        <Instant label="Resolved" at={alert.resolved_at} note={alert.resolved_because} />
      </DescriptionList>
      {alert.row && (
        <>
          <h3>Result row that met the condition</h3>
          <DescriptionList>
            {Object.entries(alert.row).map(([name, value]) => (
              <DescriptionItem key={name} label={name} term="">
                {typeof value === "string" ? value : JSON.stringify(value)}
              </DescriptionItem>
            ))}
          </DescriptionList>
        </>
      )}
      <RequestError what="Couldn't acknowledge the alert" error={acknowledge.error} />
      <div className={classes["rowActions"]}>
        {place && (
          <Button component={Link} href={place.href} variant="default">
            {place.label}
          </Button>
        )}
        {mayEdit && alert.state === "firing" && !alert.acknowledged_at && (
          <Button
            loading={acknowledge.isPending}
            onClick={() => {
              acknowledge.mutate(alert.id);
            }}
          >
            Acknowledge
          </Button>
        )}
      </div>
    </div>
  );
}

function Instant({ label, at, note }: { label: string; at: string | null; note?: string }) {
  if (at === null) return null;
  return (
    <DescriptionItem label={label} note={note}>
      <Time at={at} long />
    </DescriptionItem>
  );
}
