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
  const seen = seenAt === null ? -Infinity : microsecondsOf(seenAt);
  const found = frame.open.filter(
    ({ fired_us, acknowledged, silenced }) => !acknowledged && !silenced && (fired_us ?? 0) > seen,
  );
  const greatest = Math.max(0, ...found.map(({ severity }) => ORDER.indexOf(severity)));
  return { count: found.length, severity: ORDER[greatest] ?? "info" };
}

/** An instant of the API, whose microseconds `Date` leaves out. */
function microsecondsOf(instant: string): number {
  const finer = /\.\d{3}(\d{1,3})/.exec(instant)?.[1] ?? "";
  return Date.parse(instant) * 1000 + Number(finer.padEnd(3, "0"));
}
