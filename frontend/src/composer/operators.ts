/** The operators in the form: title, initial parameters and the input of each parameter. No React. */

import type { Field, FieldContext } from "./parameters";
import { readWindow } from "./window-choice";

export interface Operator {
  /** menu item that adds the step */
  title: string;
  /** short description beside the step's name */
  does: string;
  group: "Rows" | "Windows" | "Join" | "Multiple inputs";
  /** parameters that name the step's inputs */
  inputs: readonly string[];
  fresh: Readonly<Record<string, unknown>>;
  /** all other parameters; `operators.test.ts` compares them with the backend's */
  fields: readonly Field[];
}

const ROWS = { group: "Rows", inputs: ["input"] } as const;

const isMap = ({ params, types }: FieldContext) => types.get(String(params["field"]))?.startsWith("map") ?? false;
const windowed = ({ params }: FieldContext) => readWindow(params["window"]).kind !== "none";
const given = (name: string) => ({ params }: FieldContext) => typeof params[name] === "object" && params[name] !== null;

const LATE: Field = { kind: "late", path: ["late"], label: "Late rows" };

export const OPERATORS: Readonly<Record<string, Operator>> = {
  filter: {
    ...ROWS, title: "Filter", does: "keep matching rows", fresh: { where: "" },
    fields: [{ kind: "expression", path: ["where"], label: "Condition", example: "price > 100 and symbol <> 'TEST'", hint: "Keeps rows where this is true; null counts as false" }],
  },
  derive: {
    ...ROWS, title: "Derive fields", does: "add or replace fields", fresh: { fields: {} },
    fields: [{ kind: "named", path: ["fields"], label: "Fields", what: "field", example: "price * quantity", reads: "expression" }],
  },
  select: {
    ...ROWS, title: "Select fields", does: "keep only these fields", fresh: { fields: [] },
    fields: [{ kind: "columns", path: ["fields"], label: "Fields (in order)", what: "field", example: "upper(symbol)" }],
  },
  rename: {
    ...ROWS, title: "Rename fields", does: "change field names", fresh: { fields: {} },
    fields: [{ kind: "named", path: ["fields"], label: "Fields: old name, new name", what: "field", example: "new_name", reads: "text", left: "first" }],
  },
  drop: {
    ...ROWS, title: "Drop fields", does: "remove fields", fresh: { fields: [] },
    fields: [{ kind: "fields", path: ["fields"], label: "Fields to drop" }],
  },
  cast: {
    ...ROWS, title: "Change types", does: "convert field types", fresh: { fields: {} },
    fields: [
      { kind: "named", path: ["fields"], label: "Fields: name, new type", what: "field", example: "decimal(12,2)", reads: "text", left: "first", right: "types" },
      {
        kind: "choice", path: ["on_error"], label: "Invalid values", initial: "null",
        options: [{ value: "null", label: "Set to null and count" }, { value: "dead_letter", label: "Send the row to dead letters" }],
      },
    ],
  },
  explode: {
    ...ROWS, title: "Explode", does: "one row per array element or map entry", fresh: { field: "" },
    fields: [
      { kind: "field", path: ["field"], label: "Array or map", types: ["array", "map"] },
      { kind: "text", path: ["as"], label: "New field", hint: "Leave empty to use the array's name", when: (around) => !isMap(around) },
      { kind: "text", path: ["key"], label: "Key field", example: "key", when: isMap },
      { kind: "text", path: ["value"], label: "Value field", example: "value", when: isMap },
      { kind: "text", path: ["position"], label: "Position field (optional)", hint: "Zero-based" },
      { kind: "flag", path: ["keep_empty"], label: "Keep rows with an empty array or map" },
    ],
  },
  flatten: {
    ...ROWS, title: "Flatten", does: "turn struct members into fields", fresh: { field: "" },
    fields: [
      { kind: "field", path: ["field"], label: "Struct", types: ["struct"] },
      { kind: "prefix", path: ["prefix"], label: "New field names" },
    ],
  },
  split: {
    ...ROWS, title: "Split text", does: "one row per word or part", fresh: { field: "", as: "word", by: "words", lower: true },
    fields: [
      { kind: "field", path: ["field"], label: "Text field", types: ["string"] },
      { kind: "text", path: ["as"], label: "New field", example: "word" },
      { kind: "text", path: ["by"], label: "Separator", example: "words", hint: "“words” or a separator, e.g. ;" },
      { kind: "flag", path: ["lower"], label: "Convert to lowercase" },
    ],
  },
  branch: {
    ...ROWS, title: "Branch", does: "route rows by condition", fresh: { branches: {}, match: "first" },
    fields: [
      { kind: "named", path: ["branches"], label: "Branches: name, condition", what: "branch", example: "level = 'ERROR'", reads: "expression" },
      { kind: "choice", path: ["match"], label: "Routing", initial: "first", options: [{ value: "first", label: "First match" }, { value: "all", label: "All matches" }] },
      { kind: "text", path: ["rest"], label: "Default branch", hint: "Leave empty to drop unmatched rows" },
    ],
  },
  sample: {
    ...ROWS, title: "Sample", does: "keep a fraction of the rows", fresh: { fraction: 0.1 },
    fields: [{ kind: "number", path: ["fraction"], step: 0.05, label: "Sample fraction", hint: "0 to 1; deterministic per row" }],
  },
  deduplicate: {
    ...ROWS, title: "Remove duplicates", does: "keep the first row per key", fresh: { by: [], within: "10m" },
    fields: [
      { kind: "fields", path: ["by"], label: "Key fields" },
      { kind: "text", path: ["within"], label: "Within", example: "10m", hint: "e.g. 10m, or “exact” for the same event time" },
      LATE,
    ],
  },
  aggregate: {
    group: "Windows", inputs: ["input"], title: "Aggregate", does: "group rows and compute measures", fresh: { window: { tumbling: { size: "1m" } }, by: [], measures: { count: "count()" } },
    fields: [
      { kind: "window", path: ["window"], label: "Window" },
      { kind: "columns", path: ["by"], label: "Group by", what: "key", example: "upper(symbol)", hint: "One result per group; empty for a single result" },
      { kind: "text", path: ["grace"], label: "Grace period", example: "0s", hint: "Extra time for late rows after the window ends", when: windowed },
      { kind: "emission", path: ["emit"], label: "Emit", when: windowed },
      { ...LATE, when: windowed },
      { kind: "named", path: ["measures"], label: "Measures", what: "measure", example: "avg(price) where side = 'buy'", reads: "measure" },
    ],
  },
  change: {
    group: "Windows", inputs: ["input"], title: "Change", does: "difference from the previous window", fresh: { of: [] },
    fields: [
      { kind: "fields", path: ["of"], label: "Measures" },
      { kind: "choice", path: ["missing"], label: "If there is no previous window", initial: "null", options: [{ value: "null", label: "Null" }, { value: "zero", label: "Zero" }] },
    ],
  },
  latest: {
    group: "Windows", inputs: ["input"], title: "Latest row", does: "keep the latest row per key", fresh: { by: [] },
    fields: [
      { kind: "fields", path: ["by"], label: "Key fields" },
      {
        kind: "choice", path: ["order"], label: "Order by", initial: "event_time",
        options: [{ value: "event_time", label: "Event time" }, { value: "offset", label: "Offset" }],
      },
      { kind: "expression", path: ["delete_when"], label: "Delete key when", example: "status = 'closed'", optional: true },
      { kind: "text", path: ["ttl"], label: "Key TTL (event time)", example: "1d", hint: "Leave empty to keep keys" },
    ],
  },
  union: {
    group: "Multiple inputs", inputs: ["inputs"], title: "Union", does: "combine rows of several inputs", fresh: {},
    fields: [
      { kind: "choice", path: ["mode"], label: "Fields", initial: "by_name", options: [{ value: "by_name", label: "Match by name; missing fields are null" }, { value: "strict", label: "Must be identical" }] },
      { kind: "text", path: ["source_field"], label: "Source field (optional)", hint: "Holds the name of each row's input" },
    ],
  },
  join: {
    group: "Join", inputs: ["left", "right"], title: "Join two streams", does: "match rows by key and time", fresh: { type: "inner", on: {}, between: { before: "0s", after: "1m" } },
    fields: [
      {
        kind: "choice", path: ["type"], label: "Join type", initial: "inner", options: [
          { value: "inner", label: "Inner" }, { value: "left", label: "Left" }, { value: "right", label: "Right" }, { value: "full", label: "Full" },
          { value: "semi", label: "Semi (left rows with a match)" }, { value: "anti", label: "Anti (left rows without a match)" },
        ],
      },
      {
        kind: "choice", path: ["time"], label: "Result event time", initial: "later",
        options: [{ value: "later", label: "Later of both" }, { value: "left", label: "Left row" }, { value: "right", label: "Right row" }],
      },
      { kind: "named", path: ["on"], label: "Key fields: left, right", what: "pair", example: "right field", reads: "text", left: "first", right: "second" },
      { kind: "present", path: ["between"], label: "Limit time difference", hint: "Without a limit, state grows forever", begins: { before: "0s", after: "1m" } },
      { kind: "text", path: ["between", "before"], label: "Right row earlier by at most", example: "0s", when: given("between") },
      { kind: "text", path: ["between", "after"], label: "Right row later by at most", example: "1m", when: given("between") },
      { kind: "expression", path: ["where"], label: "Extra condition", example: "amount > limit", optional: true },
      { kind: "text", path: ["prefix"], label: "Right field prefix", hint: "Required if both inputs share field names" },
    ],
  },
  table_join: {
    group: "Join", inputs: ["input", "table"], title: "Join a table", does: "look up each row in a table", fresh: { type: "left", on: {}, version: "current" },
    fields: [
      { kind: "choice", path: ["type"], label: "Join type", initial: "inner", options: [{ value: "inner", label: "Inner" }, { value: "left", label: "Left" }] },
      { kind: "choice", path: ["version"], label: "Table version", initial: "current", options: [{ value: "current", label: "Current" }, { value: "as_of", label: "As of event time" }] },
      { kind: "text", path: ["retention"], label: "Version retention", example: "1d", hint: "Older rows find no match", when: ({ params }) => params["version"] === "as_of" },
      { kind: "named", path: ["on"], label: "Key fields: stream, table", what: "pair", example: "table key", reads: "text", left: "first", right: "second" },
      { kind: "text", path: ["prefix"], label: "Table field prefix", hint: "Required if both inputs share field names" },
      { kind: "present", path: ["broadcast"], label: "Broadcast the table (small; join on any fields)", begins: {} },
      { kind: "number", path: ["broadcast", "max_rows"], step: 1_000, whole: true, label: "Max rows", example: "100,000", hint: "A larger table fails the run", when: given("broadcast") },
      { kind: "text", path: ["broadcast", "refresh"], label: "Refresh interval", hint: "Min 10s; leave empty to load only at start", when: given("broadcast") },
    ],
  },
};

export const GROUPS: readonly Operator["group"][] = ["Rows", "Windows", "Join", "Multiple inputs"];

