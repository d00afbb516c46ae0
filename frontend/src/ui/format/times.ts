/** Instants in the person's own zone, and in UTC for the hover. */

import { duration } from "./durations";
import { UNKNOWN } from "./numbers";

const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const day = new Intl.DateTimeFormat("en-GB", { day: "2-digit", month: "short", year: "numeric" });
const zone = new Intl.DateTimeFormat("en-GB", { timeZoneName: "short" });

/** The short name of the person's zone at that moment, such as `CET` or `GMT-5`. */
export function zoneName(at: Date = new Date()): string {
  return zone.formatToParts(at).find((part) => part.type === "timeZoneName")?.value ?? "";
}

/** The person's zone by its full name, such as `Europe/Berlin`. */
export function zoneId(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** An instant as the API writes it, or null. Digits past the millisecond are dropped. */
export function instant(text: string | null | undefined): Date | null {
  if (!text) return null;
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? null : at;
}

const WRITTEN = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

/** The instant of a value whose type isn't known: of a text as rows write timestamps; null of any other. */
export function writtenInstant(value: unknown): Date | null {
  return typeof value === "string" && WRITTEN.test(value) ? instant(value) : null;
}

/** Milliseconds since 1970, or microseconds where milliseconds would be tens of thousands of years. */
export function epochInstant(value: number): Date {
  return new Date(value < 1e15 ? value : value / 1000);
}

/** `14:05:12`, with the day in front when it is another day than `now`. */
export function shortTime(at: Date | null, now: Date = new Date()): string {
  if (!at) return UNKNOWN;
  const sameDay = at.toDateString() === now.toDateString();
  return sameDay ? clock.format(at) : `${day.format(at)}, ${clock.format(at)}`;
}

const precise = {
  format: (at: Date) => `${clock.format(at)}.${String(at.getMilliseconds()).padStart(3, "0")}`,
};
const minutes = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });

/** A window: `14:05:00–14:05:05`, `16 Feb 2013 06:30–07:30`; seconds only where they tell something. */
export function windowText(start: Date | null, end: Date | null, now: Date = new Date()): string {
  if (!start || !end) return UNKNOWN;
  const [begin, stop] = [start.getTime(), end.getTime()];
  const write = begin % 1000 || stop % 1000 ? precise : begin % 60_000 || stop % 60_000 ? clock : minutes;
  const today = start.toDateString() === now.toDateString();
  const oneDay = start.toDateString() === end.toDateString();
  const from = today ? write.format(start) : `${day.format(start)} ${write.format(start)}`;
  return `${from}–${oneDay ? "" : `${day.format(end)} `}${write.format(end)}`;
}

/** `21 Nov 2026`. */
export function dayText(at: Date): string {
  return day.format(at);
}

/** `21 Nov 2026, 14:05:12 CET`. */
export function longTime(at: Date | null): string {
  return at ? `${day.format(at)}, ${clock.format(at)} ${zoneName(at)}` : UNKNOWN;
}

/** `2026-11-21 13:05:12.345 UTC`. */
export function utcTime(at: Date | null): string {
  return at ? `${at.toISOString().replace("T", " ").replace("Z", "")} UTC` : UNKNOWN;
}

/** An instant as an input of type `datetime-local` takes it, in the person's zone, to the second. */
export function localInputText(at: Date): string {
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

/** `2 s ago`; what lies ahead within clock error is `just now`. */
export function ago(at: Date | null, now: number = Date.now()): string {
  if (!at) return UNKNOWN;
  const gone = now - at.getTime();
  return gone < 1000 ? "just now" : `${duration(Math.floor(gone / 1000) * 1000)} ago`;
}
