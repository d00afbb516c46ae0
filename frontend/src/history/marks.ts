/** What happened, as charts and lists show it. No React. */

import type { ChartMark } from "../charts/chart-marks";
import type { Mark } from "../api/types";

export const MARK_WORDS: Readonly<Record<Mark["kind"], string>> = {
  deployment: "Deployment",
  start: "Start",
  restart: "Restart",
  stop: "Stop",
  alert: "Alert",
  offsets: "Offsets moved",
};

const FAR_FUTURE = 1e12;

export function markTone({ kind, severity }: Mark): ChartMark["tone"] {
  if (kind === "alert") return severity === "critical" ? "bad" : "warn";
  return kind === "restart" ? "bad" : kind === "deployment" || kind === "offsets" ? "accent" : "idle";
}

/** Marks for a chart; an alert that is open goes on to the end. */
export function chartMarks(marks: readonly Mark[]): ChartMark[] {
  return marks.map((mark) => ({
    at: Date.parse(mark.at) / 1000,
    to: mark.kind !== "alert" ? null : mark.until === null ? FAR_FUTURE : Date.parse(mark.until) / 1000,
    tone: markTone(mark),
  }));
}
