/** The window of an aggregate in the form. No React. */

import { duration, parseDuration } from "../ui/format/durations";

export const WINDOW_KINDS = [
  { value: "tumbling", label: "Tumbling (fixed)" },
  { value: "hopping", label: "Hopping (overlapping)" },
  { value: "session", label: "Session (gap)" },
  { value: "sliding", label: "Sliding (per row)" },
  { value: "calendar", label: "Calendar (day, week, month)" },
  { value: "none", label: "None (global)" },
] as const;
export type WindowKind = (typeof WINDOW_KINDS)[number]["value"];

export interface WindowParameter {
  name: string;
  label: string;
  hint?: string;
  /** default; undefined for a required parameter */
  otherwise?: string;
  choices?: readonly string[];
}
export interface WindowChoice {
  kind: WindowKind;
  /** the window's parameters as the document has them */
  written: Readonly<Record<string, unknown>>;
}

const SIZE: WindowParameter = { name: "size", label: "Size" };
const OFFSET: WindowParameter = { name: "offset", label: "Offset", hint: "Shifts window starts relative to 1970-01-01 00:00 UTC", otherwise: "0s" };

export const WINDOW_PARAMETERS: Readonly<Record<WindowKind, readonly WindowParameter[]>> = {
  tumbling: [SIZE, OFFSET],
  hopping: [SIZE, { name: "advance", label: "Advance" }, OFFSET],
  session: [{ name: "gap", label: "Session gap" }],
  sliding: [SIZE],
  calendar: [
    { name: "unit", label: "Unit", choices: ["day", "week", "month"] },
    { name: "zone", label: "Time zone" },
    { name: "day_start", label: "Day starts at", otherwise: "00:00" },
    { name: "week_start", label: "Week starts on", otherwise: "monday", choices: ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] },
  ],
  none: [],
};

const FRESH: Readonly<Record<WindowKind, Readonly<Record<string, string>>>> = {
  tumbling: { size: "1m" },
  hopping: { size: "1m", advance: "10s" },
  session: { gap: "10m" },
  sliding: { size: "10m" },
  calendar: { unit: "day", zone: "UTC" },
  none: {},
};

/** Parameters that mean the same for several kinds of window. */
const LASTING: readonly string[] = ["size", "offset"];

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

/** Parse the document's value. */
export function readWindow(value: unknown): WindowChoice {
  const window = record(value);
  const kind = WINDOW_KINDS.find((one) => one.value in window)?.value ?? "none";
  return { kind, written: record(window[kind]) };
}

/** A parameter's value as text; empty when it is not set. */
export function parameterText({ written }: WindowChoice, name: string): string {
  const value = written[name];
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** The parameters that apply to this window, and others that the document sets. */
export function shownParameters({ kind, written }: WindowChoice): WindowParameter[] {
  return WINDOW_PARAMETERS[kind].filter(({ name }) => name !== "week_start" || written["unit"] === "week" || name in written);
}

/** The document's value after a change of kind; parameters with the same meaning keep their values. */
export function withKind({ written }: WindowChoice, kind: WindowKind): unknown {
  if (kind === "none") return undefined;
  const known = new Set(WINDOW_PARAMETERS[kind].map(({ name }) => name));
  const kept = Object.fromEntries(Object.entries(written).filter(([name]) => LASTING.includes(name) && known.has(name)));
  return { [kind]: { ...FRESH[kind], ...kept } };
}

/** The document's value after a change of one parameter; defaults are left out. */
export function withParameter({ kind, written }: WindowChoice, name: string, value: string): unknown {
  const { otherwise } = WINDOW_PARAMETERS[kind].find((one) => one.name === name) ?? {};
  const next = { ...written, [name]: value };
  const left = otherwise !== undefined && (value === "" || value === otherwise) ? [name] : [];
  if (next["unit"] !== undefined && next["unit"] !== "week") left.push("week_start");
  return { [kind]: Object.fromEntries(Object.entries(next).filter(([one]) => !left.includes(one))) };
}

/** What the window means, in one sentence. */
export function explainWindow(choice: WindowChoice): string {
  const { kind } = choice;
  const said = (name: string) => parameterText(choice, name);
  if (kind === "none") return "One result per key over all rows. State grows with the number of keys.";
  if (kind === "calendar") return `One window per ${said("unit")} in ${said("zone")}, DST-aware.`;
  const length = parseDuration(said("size") || said("gap"));
  if (length === null) return "Enter a duration, e.g. 250ms, 5s, 1m, 2h, 1d or 1h30m.";
  if (kind === "session") return `A session ends when its key has no row for ${duration(length)}.`;
  if (kind === "sliding") return `One result per row, over the rows of its key in the last ${duration(length)}.`;
  const shift = parseDuration(said("offset"));
  const shifted = shift ? ` Windows start ${duration(shift)} after each full interval.` : "";
  if (kind === "tumbling") return `Each row falls into one window of ${duration(length)}.${shifted}`;
  const step = parseDuration(said("advance"));
  return step ? `Each row falls into ${String(Math.ceil(length / step))} windows of ${duration(length)}; one starts every ${duration(step)}.${shifted}` : "";
}
