/** What the form knows of each operator: how it is called, what it begins with, which fields its parameters get. No React. */

import type { Field, FieldContext } from "./parameters";
import { readWindow } from "./window-choice";

export interface Operator {
  /** on the button that adds it */
  title: string;
  /** beside a step's name */
  does: string;
  group: "Rows" | "Windows" | "Join" | "Several streams";
  /** the parameters that name what it reads */
  inputs: readonly string[];
  fresh: Readonly<Record<string, unknown>>;
  /** every parameter beside its inputs; `operators.test.ts` holds this against the backend's table */
  fields: readonly Field[];
}

const ROWS = { group: "Rows", inputs: ["input"] } as const;

const isMap = ({ params, types }: FieldContext) => types.get(String(params["field"]))?.startsWith("map") ?? false;
const windowed = ({ params }: FieldContext) => readWindow(params["window"]).kind !== "none";
const given = (name: string) => ({ params }: FieldContext) => typeof params[name] === "object" && params[name] !== null;

const LATE: Field = { kind: "late", path: ["late"], label: "Rows that come too late" };

export const OPERATORS: Readonly<Record<string, Operator>> = {
  filter: {
    ...ROWS, title: "Filter", does: "keep rows where …", fresh: { where: "" },
    fields: [{ kind: "expression", path: ["where"], label: "Condition", example: "price > 100 and symbol <> 'TEST'", hint: "Rows for which it is true go on. Null counts as not true." }],
  },
  derive: {
    ...ROWS, title: "Derive fields", does: "add or replace fields", fresh: { fields: {} },
    fields: [{ kind: "named", path: ["fields"], label: "Fields", what: "field", example: "price * quantity", reads: "expression" }],
  },
  select: {
    ...ROWS, title: "Select fields", does: "keep only these fields", fresh: { fields: [] },
    fields: [{ kind: "columns", path: ["fields"], label: "Fields, in this order", what: "field", example: "upper(symbol)" }],
  },
  rename: {
    ...ROWS, title: "Rename fields", does: "give fields other names", fresh: { fields: {} },
    fields: [{ kind: "named", path: ["fields"], label: "Fields: old name, new name", what: "field", example: "new_name", reads: "text", left: "first" }],
  },
  drop: {
    ...ROWS, title: "Drop fields", does: "leave fields out", fresh: { fields: [] },
    fields: [{ kind: "fields", path: ["fields"], label: "Fields to leave out" }],
  },
  cast: {
    ...ROWS, title: "Change types", does: "change the types of fields", fresh: { fields: {} },
    fields: [
      { kind: "named", path: ["fields"], label: "Fields: name, new type", what: "field", example: "decimal(12,2)", reads: "text", left: "first", right: "types" },
      {
        kind: "choice", path: ["on_error"], label: "A value that does not fit", initial: "null",
        options: [{ value: "null", label: "Becomes null, and its row is counted" }, { value: "dead_letter", label: "Sends its row to dead letters" }],
      },
    ],
  },
  explode: {
    ...ROWS, title: "Explode", does: "one row per element of a list or map", fresh: { field: "" },
    fields: [
      { kind: "field", path: ["field"], label: "List or map", types: ["array", "map"] },
      { kind: "text", path: ["as"], label: "Name of the new field", hint: "Empty: the name of the list", when: (around) => !isMap(around) },
      { kind: "text", path: ["key"], label: "Name of the key's field", example: "key", when: isMap },
      { kind: "text", path: ["value"], label: "Name of the value's field", example: "value", when: isMap },
      { kind: "text", path: ["position"], label: "Name of the position, if wanted", hint: "Counts from 0" },
      { kind: "flag", path: ["keep_empty"], label: "Keep rows whose list or map is empty" },
    ],
  },
  flatten: {
    ...ROWS, title: "Flatten", does: "fields of a struct become fields of the row", fresh: { field: "" },
    fields: [
      { kind: "field", path: ["field"], label: "Struct", types: ["struct"] },
      { kind: "prefix", path: ["prefix"], label: "Names of the new fields" },
    ],
  },
  split: {
    ...ROWS, title: "Split text", does: "one row per word or piece", fresh: { field: "", as: "word", by: "words", lower: true },
    fields: [
      { kind: "field", path: ["field"], label: "Text field", types: ["string"] },
      { kind: "text", path: ["as"], label: "Name of the new field", example: "word" },
      { kind: "text", path: ["by"], label: "Split by", example: "words", hint: "“words”, or a text such as ;" },
      { kind: "flag", path: ["lower"], label: "In lower case" },
    ],
  },
  branch: {
    ...ROWS, title: "Branch", does: "send rows different ways", fresh: { branches: {}, match: "first" },
    fields: [
      { kind: "named", path: ["branches"], label: "Branches: name, condition", what: "branch", example: "level = 'ERROR'", reads: "expression" },
      { kind: "choice", path: ["match"], label: "A row goes", initial: "first", options: [{ value: "first", label: "Into the first branch that fits" }, { value: "all", label: "Into every branch that fits" }] },
      { kind: "text", path: ["rest"], label: "Name of the branch for the others", hint: "Empty: they are left out" },
    ],
  },
  sample: {
    ...ROWS, title: "Sample", does: "keep a part of the rows", fresh: { fraction: 0.1 },
    fields: [{ kind: "number", path: ["fraction"], step: 0.05, label: "Part of the rows", hint: "From 0 to 1. The same row always gets the same answer." }],
  },
  deduplicate: {
    ...ROWS, title: "Remove duplicates", does: "keep the first of equal rows", fresh: { by: [], within: "10m" },
    fields: [
      { kind: "fields", path: ["by"], label: "Rows are equal when these are" },
      { kind: "text", path: ["within"], label: "Within", example: "10m", hint: "A duration such as 10m, or exact: only at the same instant" },
      LATE,
    ],
  },
  aggregate: {
    group: "Windows", inputs: ["input"], title: "Group and measure", does: "group and measure", fresh: { window: { tumbling: { size: "1m" } }, by: [], measures: { count: "count()" } },
    fields: [
      { kind: "window", path: ["window"], label: "Window" },
      { kind: "columns", path: ["by"], label: "Group by", what: "key", example: "upper(symbol)", hint: "One result per value; none: one result for all rows" },
      { kind: "text", path: ["grace"], label: "Grace", example: "0s", hint: "How long a window still takes rows after the watermark passed its end", when: windowed },
      { kind: "emission", path: ["emit"], label: "Results", hint: "Changing while rows come in, or once at the end", when: windowed },
      { ...LATE, when: windowed },
      { kind: "named", path: ["measures"], label: "Measures", what: "measure", example: "avg(price) where side = 'buy'", reads: "measure" },
    ],
  },
  change: {
    group: "Windows", inputs: ["input"], title: "Change", does: "difference to the window before", fresh: { of: [] },
    fields: [
      { kind: "fields", path: ["of"], label: "Measures" },
      { kind: "choice", path: ["missing"], label: "No window before", initial: "null", options: [{ value: "null", label: "Counts as not known" }, { value: "zero", label: "Counts as zero" }] },
    ],
  },
  latest: {
    group: "Windows", inputs: ["input"], title: "Latest row", does: "the newest row of each key", fresh: { by: [] },
    fields: [
      { kind: "fields", path: ["by"], label: "Of each" },
      {
        kind: "choice", path: ["order"], label: "The newest is", initial: "event_time",
        options: [{ value: "event_time", label: "The one with the latest event time" }, { value: "offset", label: "The one that was written last" }],
      },
      { kind: "expression", path: ["delete_when"], label: "Remove the key when", example: "status = 'closed'", optional: true },
      { kind: "text", path: ["ttl"], label: "Remove a key without rows for", example: "1d", hint: "Empty: never. By event time" },
    ],
  },
  union: {
    group: "Several streams", inputs: ["inputs"], title: "Union", does: "rows of several streams as one", fresh: {},
    fields: [
      { kind: "choice", path: ["mode"], label: "Fields", initial: "by_name", options: [{ value: "by_name", label: "Matched by name; missing ones are null" }, { value: "strict", label: "Must be the same everywhere" }] },
      { kind: "text", path: ["source_field"], label: "Field that says where a row is from", hint: "Empty: none" },
    ],
  },
  join: {
    group: "Join", inputs: ["left", "right"], title: "Join two streams", does: "pairs of rows that belong together", fresh: { type: "inner", on: {}, between: { before: "0s", after: "1m" } },
    fields: [
      {
        kind: "choice", path: ["type"], label: "Results", initial: "inner", options: [
          { value: "inner", label: "Pairs only" }, { value: "left", label: "All of the left, with or without a partner" }, { value: "right", label: "All of the right, with or without a partner" },
          { value: "full", label: "All of both" }, { value: "semi", label: "Left rows that have a partner" }, { value: "anti", label: "Left rows that have none" },
        ],
      },
      {
        kind: "choice", path: ["time"], label: "Event time of a result", initial: "later",
        options: [{ value: "later", label: "The later one of its two rows" }, { value: "left", label: "The left row’s" }, { value: "right", label: "The right row’s" }],
      },
      { kind: "named", path: ["on"], label: "Equal fields: left, right", what: "pair", example: "field of the right", reads: "text", left: "first", right: "second" },
      { kind: "present", path: ["between"], label: "Only rows near each other in time", hint: "Without bounds every row of both sides is kept for ever", begins: { before: "0s", after: "1m" } },
      { kind: "text", path: ["between", "before"], label: "The right comes at most this much earlier", example: "0s", when: given("between") },
      { kind: "text", path: ["between", "after"], label: "and at most this much later", example: "1m", when: given("between") },
      { kind: "expression", path: ["where"], label: "Further condition over both", example: "amount > limit", optional: true },
      { kind: "text", path: ["prefix"], label: "Prefix of the right’s fields", hint: "Needed when both have fields of the same name" },
    ],
  },
  table_join: {
    group: "Join", inputs: ["input", "table"], title: "Join a table", does: "look up each row in a table", fresh: { type: "left", on: {}, version: "current" },
    fields: [
      { kind: "choice", path: ["type"], label: "Rows without a partner", initial: "inner", options: [{ value: "inner", label: "Are left out" }, { value: "left", label: "Stay, with empty fields" }] },
      { kind: "choice", path: ["version"], label: "Which version of the table", initial: "current", options: [{ value: "current", label: "The one of this moment" }, { value: "as_of", label: "The one at the row’s own time" }] },
      { kind: "text", path: ["retention"], label: "Keep versions for", example: "1d", hint: "In event time; a row older than that finds none", when: ({ params }) => params["version"] === "as_of" },
      { kind: "named", path: ["on"], label: "Equal fields: stream, table", what: "pair", example: "key of the table", reads: "text", left: "first", right: "second" },
      { kind: "text", path: ["prefix"], label: "Prefix of the table’s fields", hint: "Needed when both have fields of the same name" },
      { kind: "present", path: ["broadcast"], label: "Copy the table: small, joined by any fields", begins: {} },
      { kind: "number", path: ["broadcast", "max_rows"], step: 1_000, whole: true, label: "At most this many rows", example: "100,000", hint: "A larger table ends the run with an error", when: given("broadcast") },
      { kind: "text", path: ["broadcast", "refresh"], label: "Copy it again every", hint: "10s or more; empty: only when the job starts", when: given("broadcast") },
    ],
  },
};

export const GROUPS: readonly Operator["group"][] = ["Rows", "Windows", "Join", "Several streams"];

