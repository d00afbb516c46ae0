/**
 * The operators in the form. Parameters with their labels, help and defaults come from the backend; what
 * stands here is taste: titles, groups, order, initial values of new steps, and when a parameter is shown. No
 * React.
 */

import backend from "./operator-parameters.json";
import { buildOperator, type Operator, type Presentation } from "./operator-fields";
import type { FieldContext, OperatorParameters } from "./parameters";
import { readWindow } from "./window-choice";

const isMap = ({ params, types }: FieldContext) =>
  types.get(String(params["field"]))?.startsWith("map") ?? false;
const isWindowed = ({ params }: FieldContext) => readWindow(params["window"]).kind !== "none";

const PRESENTATION: Readonly<Record<string, Presentation>> = {
  filter: { title: "Filter", does: "keep matching rows" },
  derive: { title: "Derive fields", does: "add or replace fields" },
  select: { title: "Select fields", does: "keep only these fields" },
  rename: { title: "Rename fields", does: "change field names" },
  drop: { title: "Drop fields", does: "remove fields" },
  cast: { title: "Change types", does: "convert field types" },
  explode: {
    title: "Explode",
    does: "one row per array element or map entry",
    order: ["field", "as", "key", "value", "position"],
    when: { as: (around) => !isMap(around), key: isMap, value: isMap },
  },
  flatten: {
    title: "Flatten",
    does: "turn struct members into fields",
    widgets: { prefix: "prefix" },
  },
  split: {
    title: "Split text",
    does: "one row per word or part",
    fresh: { field: "", as: "word", by: "words", lower: true },
  },
  branch: {
    title: "Branch",
    does: "route rows by condition",
    fresh: { branches: {}, match: "first" },
  },
  sample: { title: "Sample", does: "keep a fraction of the rows", steps: { fraction: 0.05 } },
  deduplicate: { title: "Remove duplicates", does: "keep the first row per key" },
  aggregate: {
    title: "Aggregate",
    does: "group rows and compute measures",
    group: "Windows",
    order: ["window", "by", "grace", "emit", "late"],
    fresh: { window: { tumbling: { size: "1m" } }, by: [], measures: { count: "count()" } },
    widgets: { emit: "emission" },
    when: { grace: isWindowed, emit: isWindowed, late: isWindowed },
  },
  change: { title: "Change", does: "difference from the previous window", group: "Windows" },
  latest: { title: "Latest row", does: "keep the latest row per key", group: "Windows" },
  union: { title: "Union", does: "combine rows of several inputs" },
  join: {
    title: "Join two streams",
    does: "match rows by key and time",
    order: ["type", "time"],
    fresh: { type: "inner", on: {}, between: { before: "0s", after: "1m" } },
  },
  table_join: {
    title: "Join a table",
    does: "look up each row in a table",
    order: ["type", "version", "retention"],
    fresh: { type: "left", on: {}, version: "current" },
    steps: { "broadcast.max_rows": 1_000 },
    when: { retention: ({ params }) => params["version"] === "as_of" },
  },
};

const PARAMETERS: Readonly<Record<string, OperatorParameters>> = backend.operators;
const SUMMARIES: Readonly<Record<string, string>> = backend.summaries;

/** In the order of the menu: those above, then what else the backend has. */
export const OPERATORS: Readonly<Record<string, Operator>> = Object.assign(
  Object.create(null) as Record<string, Operator>, // a document may name an operator `constructor`
  Object.fromEntries(
    [...new Set([...Object.keys(PRESENTATION), ...Object.keys(PARAMETERS)])].map((op) => [
      op,
      buildOperator(op, PARAMETERS[op] ?? {}, SUMMARIES[op] ?? "", PRESENTATION[op]),
    ]),
  ),
);
