import type { AlertsFrame } from "../../live/frames";
import type { AlertSeverity } from "../../api/types";

const ORDER: readonly AlertSeverity[] = ["info", "warning", "critical"];

/**
 * Alerts that fired after the person last looked and that nobody looks after: how many, and the greatest
 * severity. @param seenAt an ISO text; null: the person never looked
 */
export function unread(
  frame: AlertsFrame,
  seenAt: string | null,
): { count: number; severity: AlertSeverity } {
  const seen = seenAt === null ? -Infinity : Date.parse(seenAt) * 1000;
  const found = frame.open.filter(
    ({ fired_us, acknowledged, silenced }) => !acknowledged && !silenced && (fired_us ?? 0) > seen,
  );
  const greatest = Math.max(0, ...found.map(({ severity }) => ORDER.indexOf(severity)));
  return { count: found.length, severity: ORDER[greatest] ?? "info" };
}
