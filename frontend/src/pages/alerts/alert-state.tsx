import type { Alert, AlertSeverity } from "../../api/types";
import { Badge, type Tone } from "../../ui/status";

const SEVERITIES: Readonly<Record<AlertSeverity, { word: string; tone: Tone }>> = {
  info: { word: "Info", tone: "idle" },
  warning: { word: "Warning", tone: "warn" },
  critical: { word: "Critical", tone: "bad" },
};

export const SEVERITY_OPTIONS = (["critical", "warning", "info"] as const).map((value) => ({
  value,
  label: SEVERITIES[value].word,
}));

export function SeverityBadge({ severity }: { severity: AlertSeverity }) {
  const { word, tone } = SEVERITIES[severity];
  return <Badge tone={tone}>{word}</Badge>;
}

/** Pending, firing, who looks after it, and that it is silenced. */
export function AlertStateText({ alert }: { alert: Alert }) {
  if (alert.state === "resolved")
    return (
      <Badge tone="good" plain>
        Resolved
      </Badge>
    );
  const isPending = alert.state === "pending";
  return (
    <span>
      <Badge tone={isPending ? "idle" : alert.acknowledged_at ? "warn" : "bad"} plain>
        {isPending ? "Pending" : alert.acknowledged_at ? "Acknowledged" : "Firing"}
      </Badge>
      {alert.acknowledged_at && <span> by {alert.acknowledged_by}</span>}
      {alert.silenced && <span className="soft nowrap"> · silenced</span>}
    </span>
  );
}
