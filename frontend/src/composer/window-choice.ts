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

export interface WindowParameter {
  name: string;
  label: string;
  hint?: string;
  /** what is meant when it is left out; undefined: it must be given */
  otherwise?: string;
  choices?: readonly string[];
}
export interface WindowChoice {
  kind: WindowKind;
  /** all that the document says of it, as it says it */
  written: Readonly<Record<string, unknown>>;
}

const SIZE: WindowParameter = { name: "size", label: "Size" };
const OFFSET: WindowParameter = { name: "offset", label: "Shifted by", hint: "From whole multiples since 1970, UTC", otherwise: "0s" };

export const WINDOW_PARAMETERS: Readonly<Record<WindowKind, readonly WindowParameter[]>> = {
  tumbling: [SIZE, OFFSET],
  hopping: [SIZE, { name: "advance", label: "Advances by" }, OFFSET],
  session: [{ name: "gap", label: "Ends after a pause of" }],
  sliding: [SIZE],
  calendar: [
    { name: "unit", label: "Unit", choices: ["day", "week", "month"] },
    { name: "zone", label: "Time zone" },
    { name: "day_start", label: "A day begins at", otherwise: "00:00" },
    { name: "week_start", label: "A week begins on", otherwise: "monday", choices: ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] },
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

/** What was said of a window of one kind and means the same in another. */
const LASTING: readonly string[] = ["size", "offset"];

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

/** The choice behind a document's value. */
export function readWindow(value: unknown): WindowChoice {
  const window = record(value);
  const kind = WINDOW_KINDS.find((one) => one.value in window)?.value ?? "none";
  return { kind, written: record(window[kind]) };
}

/** What the field of a parameter holds: as written, empty where nothing is. */
export function parameterText({ written }: WindowChoice, name: string): string {
  const value = written[name];
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** The parameters that mean something for this choice, or are written though they mean nothing. */
export function shownParameters({ kind, written }: WindowChoice): WindowParameter[] {
  return WINDOW_PARAMETERS[kind].filter(({ name }) => name !== "week_start" || written["unit"] === "week" || name in written);
}

/** The document's value: another kind begins afresh but keeps what means the same there. */
export function withKind({ written }: WindowChoice, kind: WindowKind): unknown {
  if (kind === "none") return undefined;
  const known = new Set(WINDOW_PARAMETERS[kind].map(({ name }) => name));
  const kept = Object.fromEntries(Object.entries(written).filter(([name]) => LASTING.includes(name) && known.has(name)));
  return { [kind]: { ...FRESH[kind], ...kept } };
}

/** The document's value with one parameter changed and all others as they are; what goes without saying is left out. */
export function withParameter({ kind, written }: WindowChoice, name: string, value: string): unknown {
  const { otherwise } = WINDOW_PARAMETERS[kind].find((one) => one.name === name) ?? {};
  const next = { ...written, [name]: value };
  const left = otherwise !== undefined && (value === "" || value === otherwise) ? [name] : [];
  if (next["unit"] !== undefined && next["unit"] !== "week") left.push("week_start");
  return { [kind]: Object.fromEntries(Object.entries(next).filter(([one]) => !left.includes(one))) };
}

/** What the choice means, in a sentence. */
export function explainWindow(choice: WindowChoice): string {
  const { kind } = choice;
  const said = (name: string) => parameterText(choice, name);
  if (kind === "none") return "One result per key over all rows ever; its state never ends.";
  if (kind === "calendar") return `Each row counts in one ${said("unit")} as the clocks in ${said("zone")} show it, also when they change.`;
  const length = parseDuration(said("size") || said("gap"));
  if (length === null) return "Durations are written 250ms, 5s, 1m, 2h, 1d or joined, as 1h30m.";
  if (kind === "session") return `Rows of a key belong together as long as none is more than ${duration(length)} after the one before.`;
  if (kind === "sliding") return `For each row: the rows of its key in the ${duration(length)} up to it.`;
  const shift = parseDuration(said("offset"));
  const shifted = shift ? ` Windows begin ${duration(shift)} after whole multiples.` : "";
  if (kind === "tumbling") return `Each row counts in one window of ${duration(length)}.${shifted}`;
  const step = parseDuration(said("advance"));
  return step ? `Each row counts in ${String(Math.ceil(length / step))} windows of ${duration(length)}, a new one every ${duration(step)}.${shifted}` : "";
}
