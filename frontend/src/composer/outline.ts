/** A document as sources, steps and outputs: what the form shows. No React. */

import { asPlain } from "./document-merge";
import { plainOf } from "./document-text";
import { asText } from "./form/values";
import { isName } from "./names";
import { OPERATORS } from "./operators";

export interface SourceRow {
  name: string;
  kind: "stream" | "table";
  of: string;
  /** empty: the stream's watermark delay */
  delay: string;
}
export interface StepRow {
  name: string;
  op: string;
  params: Readonly<Record<string, unknown>>;
}
/** Output names by field name: object members, outermost first. Fields that keep their names are left out. */
export type WrittenNames = Readonly<Record<string, readonly string[]>>;
export interface OutputRow {
  name: string;
  input: string;
  topic: string | null;
  format: "json" | "avro";
  names: WrittenNames;
}
export interface Outline {
  name: string;
  description: string;
  sources: readonly SourceRow[];
  /** in topological order, unless there is a cycle */
  steps: readonly StepRow[];
  outputs: readonly OutputRow[];
  settings: Readonly<Record<string, unknown>>;
}
export type OutlineResult = { outline: Outline } | { unsupported: string };

type Values = Record<string, unknown>;

export const EMPTY_DOCUMENT = `format: 1
name: new-job
sources: {}
steps: {}
outputs: {}
settings: {mode: auto, engine: shared}
`;

function record(value: unknown): Values {
  return asPlain(value) ?? {};
}

/** Sections, and what each entry of theirs that must be a mapping is called. */
const SECTIONS = [
  ["sources", "Source"],
  ["steps", "Step"],
  ["outputs", "Output"],
  ["settings", null],
] as const;

/** What should be a mapping and is none; a name with nothing behind it is an empty one. */
function wrongShape(root: unknown): string | null {
  const isWrong = (value: unknown) => value !== null && value !== undefined && !asPlain(value);
  if (isWrong(root)) return "The job must be a mapping from names to values.";
  for (const [section, entry] of SECTIONS) {
    const rows = record(root)[section];
    if (isWrong(rows)) return `${section} must be a mapping from names to ${entry ? section : "values"}.`;
    const [name] = Object.entries(record(rows)).find(([, row]) => entry && isWrong(row)) ?? [];
    if (name !== undefined) return `${entry} ${name} must be a mapping from names to values.`;
  }
  return null;
}

/** The outline of a document, or why the form cannot show it. */
export function readOutline(source: string): OutlineResult {
  const plain = plainOf(source);
  if (plain === undefined) return { unsupported: "Fix the error in the YAML view." };
  const wrong = wrongShape(plain);
  if (wrong !== null) return { unsupported: `${wrong} Correct it in the YAML view.` };
  const root = record(plain);
  return {
    outline: {
      name: asText(root["name"]),
      description: asText(root["description"]),
      sources: Object.entries(record(root["sources"])).map(([name, value]) => sourceOf(name, record(value))),
      steps: ordered(
        Object.entries(record(root["steps"])).map(([name, value]) => stepOf(name, record(value))),
      ),
      outputs: Object.entries(record(root["outputs"])).map(([name, value]) => outputOf(name, record(value))),
      settings: record(root["settings"]),
    },
  };
}

function sourceOf(name: string, value: Values): SourceRow {
  const kind = value["table"] === undefined ? "stream" : "table";
  return { name, kind, of: asText(value[kind]), delay: asText(value["delay"]) };
}

function stepOf(name: string, { op, ...params }: Values): StepRow {
  return { name, op: asText(op), params };
}

function outputOf(name: string, { input, to }: Values): OutputRow {
  const target = record(to);
  const names = Object.entries(record(target["names"])).map(([field, written]) => [
    field,
    (Array.isArray(written) ? written : [written]).map(String),
  ]);
  return {
    name,
    input: asText(input),
    topic: to === "result" ? null : asText(target["topic"]),
    format: target["format"] === "avro" ? "avro" : "json",
    names: Object.fromEntries(names) as WrittenNames,
  };
}

/** The inputs of a step, as references `node` or `node.port`. */
export function inputsOf(step: StepRow): string[] {
  const names = OPERATORS[step.op]?.inputs ?? ["input"];
  return names
    .flatMap((name) => {
      const value = step.params[name];
      return Array.isArray(value) ? value.map(asText) : [asText(value)];
    })
    .filter(Boolean);
}

export function nodeOf(reference: string): string {
  return reference.split(".")[0] ?? "";
}

export function latePort(step: string): string {
  return `${step}.late`;
}

function ordered(steps: StepRow[]): StepRow[] {
  const left = [...steps];
  const done: StepRow[] = [];
  while (left.length) {
    const waiting = new Set(left.map(({ name }) => name));
    const at = left.findIndex((step) => inputsOf(step).every((input) => !waiting.has(nodeOf(input))));
    done.push(...left.splice(Math.max(at, 0), 1)); // any step of a cycle
  }
  return done;
}

function taken(outline: Outline): Set<string> {
  return new Set([...outline.sources, ...outline.steps].map(({ name }) => name));
}

export function freeName(outline: Outline, base: string): string {
  const names = taken(outline);
  for (let n = 1; ; n += 1) {
    const name = n === 1 ? base : `${base}_${String(n)}`;
    if (!names.has(name)) return name;
  }
}

/** Why a name is invalid for a source or step; null when it is valid. */
export function nameProblem(outline: Outline, name: string): string | null {
  if (!isName(name)) return "Use letters, digits and _ (max 63); start with a letter.";
  return taken(outline).has(name) ? `${name} already exists.` : null;
}
