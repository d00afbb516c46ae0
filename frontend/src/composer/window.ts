/** The window of an aggregate as the form edits it. No React. */

import { duration, parseDuration } from "../ui/format/durations";

export const WINDOW_KINDS = [
  { value: "tumbling", label: "Tumbling: one after the other" },
  { value: "hopping", label: "Hopping: they overlap" },
  { value: "session", label: "Session: ends after a pause" },
  { value: "sliding", label: "Sliding: up to each row" },
  { value: "calendar", label: "Calendar: days, weeks, months" },
  { value: "none", label: "None: all rows ever" },
] as const;
export type WindowKind = (typeof WINDOW_KINDS)[number]["value"];

type Parameters = Readonly<Record<string, string>>;
export interface WindowChoice { kind: WindowKind; parameters: Parameters }

/** What each kind begins with; its parameters are these. */
const FRESH: Readonly<Record<WindowKind, Parameters>> = {
  tumbling: { size: "1m" },
  hopping: { size: "1m", advance: "10s" },
  session: { gap: "10m" },
  sliding: { size: "10m" },
  calendar: { unit: "day", zone: "UTC" },
  none: {},
};

export const PARAMETER_LABELS: Readonly<Record<string, string>> = { size: "Size", advance: "Advances by", gap: "Ends after a pause of", unit: "Unit", zone: "Time zone", day_start: "A day begins at", week_start: "A week begins on" };

function text(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** The choice behind a document's value; parameters that the form does not show stay in the text. */
export function readWindow(value: unknown): WindowChoice {
  const window = typeof value === "object" && value !== null ? (value as Record<string, Record<string, unknown> | null>) : {};
  const kind = WINDOW_KINDS.find((one) => one.value in window)?.value ?? "none";
  const inner = window[kind] ?? {};
  const known = { ...FRESH[kind], ...(kind === "calendar" && { day_start: "00:00", week_start: "monday" }) };
  return { kind, parameters: Object.fromEntries(Object.entries(known).map(([name, initial]) => [name, text(inner[name]) || initial])) };
}

/** The document's value: another kind begins afresh but keeps a size. */
export function withKind({ parameters }: WindowChoice, kind: WindowKind): unknown {
  if (kind === "none") return undefined;
  const size = parameters["size"];
  return { [kind]: { ...FRESH[kind], ...(size && "size" in FRESH[kind] && { size }) } };
}

export function withParameter({ kind, parameters }: WindowChoice, name: string, value: string): unknown {
  const next = { ...parameters, [name]: value };
  if (next["day_start"] === "00:00") delete next["day_start"];
  if (next["week_start"] === "monday" || next["unit"] !== "week") delete next["week_start"];
  return { [kind]: next };
}

/** What the choice means, in a sentence. */
export function explainWindow({ kind, parameters }: WindowChoice): string {
  if (kind === "none") return "One result per key over all rows ever; its state never ends.";
  if (kind === "calendar") return `Each row counts in one ${parameters["unit"] ?? "day"} as the clocks in ${parameters["zone"] ?? ""} show it, also when they change.`;
  const length = parseDuration(parameters["size"] ?? parameters["gap"] ?? "");
  if (length === null) return "Durations are written 250ms, 5s, 1m, 2h, 1d or joined, as 1h30m.";
  if (kind === "session") return `Rows of a key belong together as long as none is more than ${duration(length)} after the one before.`;
  if (kind === "sliding") return `For each row: the rows of its key in the ${duration(length)} up to it.`;
  if (kind === "tumbling") return `Each row counts in one window of ${duration(length)}.`;
  const step = parseDuration(parameters["advance"] ?? "");
  return step ? `Each row counts in ${String(Math.ceil(length / step))} windows of ${duration(length)}, a new one every ${duration(step)}.` : "";
}
