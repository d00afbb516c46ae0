/** Words of a job that several pages use. */

import { duration, parseDuration } from "./format/durations";
import { UNKNOWN } from "./format/numbers";
import type { EventTime, Mode, TimeField, TimeUnit } from "../api/types";

export function modeLabel(mode: Mode): string {
  return mode === "realtime" ? "Real-time" : "Micro-batch";
}

const GAPS: Readonly<Record<string, string>> = {
  cursor_too_old: "this page was inactive too long",
  topic_changed: "a new generation started",
  below_start: "missed updates are no longer retained",
  beyond_end: "results were reset",
  // Of a page that reads too slowly, of much to catch up with, and of a snapshot that failed in the middle.
  overflow: "all rows were loaded again",
};

/** Why some changes were missed. The rows shown after it are complete again. */
export function gapText(reason: string): string {
  return GAPS[reason] ?? reason;
}

/** A document's duration as people read it: `10s` → `10 s`; what is none stays as it is. */
export function durationText(text: string | null | undefined): string {
  if (text === undefined || text === null) return UNKNOWN;
  const length = parseDuration(text);
  return length === null ? text : duration(length);
}

/** A stream's event-time rule in a few words. */
export function eventTimeText(rule: EventTime | undefined): string {
  if (rule?.kind === "change") return "change timestamp";
  if (rule?.kind === "corrected") {
    if (!rule.device || !rule.sent) return "device clock, skew-corrected";
    const received = rule.received ? timeFieldText(rule.received) : "Kafka timestamp";
    return `${timeFieldText(rule.device)} + (${received} − ${timeFieldText(rule.sent)})`;
  }
  if (!rule || rule.kind === "kafka_timestamp" || !rule.field) return "Kafka timestamp";
  return timeFieldText({ ...rule, field: rule.field });
}

function timeFieldText(rule: TimeField): string {
  const how = rule.unit
    ? ` in ${UNITS[rule.unit]}`
    : rule.format
      ? ` as ${rule.format === "iso" ? "ISO text" : rule.format}`
      : "";
  return `field ${rule.field}${how}`;
}

const UNITS: Readonly<Record<TimeUnit, string>> = {
  s: "seconds",
  ms: "milliseconds",
  us: "microseconds",
  ns: "nanoseconds",
};
