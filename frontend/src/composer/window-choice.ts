/** The window of an aggregate in the form. No React. */

import { duration, parseDuration } from "../ui/format/durations";
import { counted } from "../ui/format/numbers";
import backend from "./operator-parameters.json";
import type { Metadata, OperatorParameters } from "./parameters";

export type WindowKind = "tumbling" | "hopping" | "session" | "sliding" | "calendar" | "none";

const METADATA: OperatorParameters = backend.operators.aggregate;
const of = (kind: WindowKind) => METADATA[`window.${kind}`];

/** Kinds of windows in the order of the form. */
const KINDS: readonly WindowKind[] = ["tumbling", "hopping", "session", "sliding", "calendar", "none"];

export const WINDOW_KINDS: readonly { value: WindowKind; label: string }[] = KINDS.map((value) => ({
  value,
  label: of(value)?.label ?? "None (global)",
}));

export interface WindowParameter extends Metadata {
  name: string;
}
export interface WindowChoice {
  kind: WindowKind;
  /** the window's parameters as the document has them */
  written: Readonly<Record<string, unknown>>;
}

export const WINDOW_PARAMETERS: Readonly<Record<WindowKind, readonly WindowParameter[]>> = {
  tumbling: parametersOf("tumbling"),
  hopping: parametersOf("hopping"),
  session: parametersOf("session"),
  sliding: parametersOf("sliding"),
  calendar: parametersOf("calendar"),
  none: [],
};

function parametersOf(kind: WindowKind): WindowParameter[] {
  const prefix = `window.${kind}.`;
  return Object.entries(METADATA)
    .filter(([path]) => path.startsWith(prefix))
    .map(([path, metadata]) => ({ name: path.slice(prefix.length), ...metadata }));
}

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
  return WINDOW_PARAMETERS[kind].filter(
    ({ name }) => name !== "week_start" || written["unit"] === "week" || name in written,
  );
}

/** The document's value after a change of kind; parameters with the same meaning keep their values. */
export function withKind({ written }: WindowChoice, kind: WindowKind): unknown {
  if (kind === "none") return undefined;
  const known = new Set(WINDOW_PARAMETERS[kind].map(({ name }) => name));
  const kept = Object.fromEntries(
    Object.entries(written).filter(([name]) => LASTING.includes(name) && known.has(name)),
  );
  return { [kind]: { ...record(of(kind)?.example), ...kept } };
}

/** The document's value after a change of one parameter; defaults are left out. */
export function withParameter({ kind, written }: WindowChoice, name: string, value: string): unknown {
  const otherwise = WINDOW_PARAMETERS[kind].find((one) => one.name === name)?.default;
  const next = { ...written, [name]: value };
  const left = otherwise !== undefined && (value === "" || value === otherwise) ? [name] : [];
  if (next["unit"] !== undefined && next["unit"] !== "week") left.push("week_start");
  return { [kind]: Object.fromEntries(Object.entries(next).filter(([one]) => !left.includes(one))) };
}

/** What the window means, in one sentence. */
export function explainWindow(choice: WindowChoice): string {
  const { kind } = choice;
  const value = (name: string) => parameterText(choice, name);
  if (kind === "none") return "One result per key over all rows. State grows with the number of keys.";
  if (kind === "calendar") return `One window per ${value("unit")} in ${value("zone")}, DST-aware.`;
  const length = parseDuration(value("size") || value("gap"));
  if (length === null) return "Enter a duration, e.g. 250ms, 5s, 1m, 2h, 1d or 1h30m.";
  if (kind === "session") return `A session ends when its key has no row for ${duration(length)}.`;
  if (kind === "sliding")
    return `One result per row, over the rows of its key in the last ${duration(length)}.`;
  const shift = parseDuration(value("offset"));
  const shifted = shift ? ` Windows start ${duration(shift)} after each full interval.` : "";
  if (kind === "tumbling") return `Each row falls into one window of ${duration(length)}.${shifted}`;
  const step = parseDuration(value("advance"));
  if (!step) return "";
  const windows = `${counted(Math.ceil(length / step), "window")} of ${duration(length)}`;
  return `Each row falls into ${windows}; one starts every ${duration(step)}.${shifted}`;
}
