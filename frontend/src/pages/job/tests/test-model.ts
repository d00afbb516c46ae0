/** A test document as a table, and what the table changes in its text, whose comments survive. No React. */

import { isCollection, isMap, isNode, isSeq } from "yaml";
import { jsonText, markBigIntegers, withBigIntegers } from "../../../api/big-integers";
import { edited, exactOf, mapInstead } from "../../../composer/document-text";

type Tree = Parameters<Parameters<typeof edited>[1]>[0];
export type Values = Record<string, unknown>;

export interface RecordRow {
  at: string;
  arrives: string;
  /** fields; null where the record is given as it is in Kafka */
  values: Values | null;
  deletes: boolean;
  key: string | null;
  value: string | null;
}

export interface BatchRow {
  restart: string;
  advance: string;
  silent: string[] | null;
  heartbeats: Record<string, string>;
  records: Record<string, RecordRow[]>;
  expect: ExpectRow;
}

export interface ExpectRow {
  outputs: Record<string, ExpectedRows>;
  steps: Record<string, ExpectedRows>;
  late: number | null;
  malformed: Record<string, number>;
}

export type RowKind = "rows" | "contains" | "absent";
export type ExpectedRows = Partial<Record<RowKind, Values[]>>;
export type Path = readonly (string | number)[];

export interface TestModel {
  name: string;
  description: string;
  start: string;
  batches: BatchRow[];
  expect: ExpectRow;
}

export const ROW_KINDS: readonly { kind: RowKind; label: string; means: string }[] = [
  { kind: "rows", label: "Exactly these rows", means: "No other row may come." },
  { kind: "contains", label: "At least these rows", means: "Others may come, too." },
  { kind: "absent", label: "No row like these", means: "None of them may come." },
];

function object(value: unknown): Values {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Values) : {};
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function text(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

function texts(value: unknown): Record<string, string> {
  return Object.fromEntries(Object.entries(object(value)).map(([name, part]) => [name, text(part)]));
}

function numbers(value: unknown): Record<string, number> {
  const found = Object.entries(object(value)).filter(([, part]) => typeof part === "number");
  return Object.fromEntries(found) as Record<string, number>;
}

function recordOf(value: unknown): RecordRow {
  const row = object(value);
  const deletes = "delete" in row;
  const raw = "key" in row || "value" in row;
  return {
    at: text(row["at"]),
    arrives: text(row["arrives"]),
    values: raw ? null : object(deletes ? row["delete"] : row["values"]),
    deletes,
    key: typeof row["key"] === "string" ? row["key"] : null,
    value: typeof row["value"] === "string" ? row["value"] : null,
  };
}

function rowsOf(value: unknown): ExpectedRows {
  const found: ExpectedRows = {};
  for (const { kind } of ROW_KINDS) {
    const rows = object(value)[kind];
    if (Array.isArray(rows)) found[kind] = rows.map(object);
  }
  return found;
}

function expectOf(value: unknown): ExpectRow {
  const expect = object(value);
  const of = (part: unknown) =>
    Object.fromEntries(Object.entries(object(part)).map(([name, rows]) => [name, rowsOf(rows)]));
  return {
    outputs: of(expect["outputs"]),
    steps: of(expect["steps"]),
    late: typeof expect["late"] === "number" ? expect["late"] : null,
    malformed: numbers(expect["malformed"]),
  };
}

function batchOf(value: unknown): BatchRow {
  const batch = object(value);
  const sent = Object.entries(object(batch["records"]));
  return {
    restart: text(batch["restart"]),
    advance: text(batch["advance"]),
    silent: Array.isArray(batch["silent"]) ? batch["silent"].map(text) : null,
    heartbeats: texts(batch["heartbeats"]),
    records: Object.fromEntries(sent.map(([name, rows]) => [name, list(rows).map(recordOf)])),
    expect: expectOf(batch["expect"]),
  };
}

/** The document of a text; null where the text is no YAML mapping. */
export function modelOf(source: string): TestModel | null {
  const value = exactOf(source);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  const test = value as Values;
  return {
    name: text(test["name"]),
    description: text(test["description"]),
    start: text(test["start"]),
    batches: list(test["batches"]).map(batchOf),
    expect: expectOf(test["expect"]),
  };
}

/** Sets what is at a path; undefined and "" remove it, with the mappings above it that become empty. */
export function setAt(source: string, path: Path, value: unknown): string {
  return value === undefined || value === "" ? withoutAt(source, path) : withAt(source, path, value);
}

/** Sets what was typed into a cell; an empty cell leaves its field out. */
export function setCell(source: string, path: Path, typed: string, type: string): string {
  return typed === "" ? withoutAt(source, path) : withAt(source, path, cellValue(typed, type));
}

/**
 * Makes a mapping of what should be one above a path: a name with nothing behind it, or a text. Lists are not
 * made, as a number in a path counts in a list that is there.
 */
function makeAbove(document: Tree, path: Path): void {
  for (const [at, part] of path.entries()) {
    const above = path.slice(0, at);
    const node: unknown = at > 0 ? document.getIn(above, true) : undefined;
    if (typeof part === "string" && isNode(node) && !isMap(node))
      document.setIn(above, mapInstead(document, node));
  }
}

function withAt(source: string, path: Path, value: unknown): string {
  return edited(source, (document) => {
    const isNested = typeof value === "object" && value !== null;
    makeAbove(document, path);
    document.setIn([...path], isNested ? document.createNode(value, { flow: true }) : value);
  });
}

function withoutAt(source: string, path: Path): string {
  return edited(source, (document) => {
    if (!document.hasIn(path)) return;
    document.deleteIn([...path]);
    for (let length = path.length - 1; length > 1; length -= 1) {
      const above = path.slice(0, length);
      const node: unknown = document.getIn(above, true);
      if (!isMap(node) || node.items.length || typeof above.at(-1) === "number") return;
      document.deleteIn(above);
    }
  });
}

/** Names the test. An empty name stays where it was, as a problem to be seen. */
export function setName(source: string, name: string): string {
  return edited(source, (document) => {
    document.set("name", name);
  });
}

/** Adds an item to the list at a path, which is made where it is missing. */
export function addAt(source: string, path: Path, item: unknown): string {
  return edited(source, (document) => {
    const found: unknown = document.getIn([...path], true);
    const made = document.createNode(item, { flow: true });
    if (!isSeq(found)) {
      makeAbove(document, path);
      document.setIn([...path], document.createNode([]));
      document.addIn([...path], made);
    } else {
      if (!found.items.length) found.flow = false;
      document.addIn([...path], made);
    }
  });
}

export function addBatch(source: string, batch: Values): string {
  return edited(source, (document) => {
    const node = document.createNode(batch);
    const found: unknown = document.get("batches", true);
    if (isCollection(found)) found.flow = false;
    if (isSeq(found)) document.addIn(["batches"], node);
    else document.set("batches", document.createNode([batch]));
  });
}

/** Removes an item of a list. */
export function removeAt(source: string, path: Path): string {
  return edited(source, (document) => {
    if (document.hasIn(path)) document.deleteIn([...path]);
  });
}

/** What a person typed into a cell, as the value of a field: numbers and JSON where the type has them. */
export function cellValue(typed: string, type: string): unknown {
  const trimmed = typed.trim();
  if (trimmed === "null") return null;
  const inQuotes = quotedText(trimmed);
  if (inQuotes !== undefined) return inQuotes;
  if (/^(?:string|timestamp|date|bytes)$/.test(type)) return typed;
  if (trimmed === "true" || trimmed === "false") return trimmed === "true";
  if (type === "double") return doubleValue(trimmed) ?? typed;
  if (/^-?\d+(?:\.\d+)?$/.test(trimmed)) return numberValue(trimmed);
  return /^[[{]/.test(trimmed) ? (jsonValue(trimmed) ?? typed) : typed;
}

/** Undefined for what is no number, or larger than a double. */
function doubleValue(text: string): number | undefined {
  const number = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text) ? Number(text) : NaN;
  return Number.isFinite(number) ? number : undefined;
}

/** A number with all of its digits: a long integer as bigint, a decimal with many as text. */
function numberValue(text: string): unknown {
  const number = Number(text);
  if (!text.includes(".")) return Number.isSafeInteger(number) ? number : BigInt(text);
  return text.replace(/[-.]/g, "").replace(/^0+/, "").length > MOST_DIGITS ? text : number;
}

/** As many decimal digits as every number keeps. */
const MOST_DIGITS = 15;

/** Lists, objects and texts in quotes; undefined for what is no JSON. */
function jsonValue(text: string): unknown {
  try {
    return withBigIntegers(JSON.parse(markBigIntegers(text)) as unknown);
  } catch {
    return undefined;
  }
}

/** A value as a cell shows it; left out is empty. */
export function cellText(value: unknown): string {
  if (value === undefined) return "";
  return typeof value === "string" && !needsQuotes(value) ? value : jsonText(value);
}

/** Texts that a cell would otherwise read as left out, as null or as a text in quotes. */
function needsQuotes(text: string): boolean {
  return text === "" || text.trim() === "null" || quotedText(text) !== undefined;
}

/** What stands in quotes; undefined where the quotes are part of the text. */
function quotedText(typed: string): string | undefined {
  const text = /^\s*"/.test(typed) ? jsonValue(typed) : undefined;
  return typeof text === "string" && needsQuotes(text) ? text : undefined;
}

/** A new test: one batch with one record of the first source, and no row expected yet. */
export function freshTest(source: string, output: string, name: string): string {
  return [
    "format: 1",
    `name: ${JSON.stringify(name)}`,
    "start: 2026-01-01T10:00:00Z",
    "batches:",
    "  - records:",
    `      ${source}:`,
    "        - {at: 1s, values: {}}",
    "expect:",
    "  outputs:",
    `    ${output}:`,
    "      contains: []",
    "",
  ].join("\n");
}
