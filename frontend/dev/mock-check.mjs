/** What the mock finds in a document: nodes with made-up fields, and the simplest problems. */

import { parse } from "yaml";

const field = (name, type, nullable = false) => ({ name, type, nullable });
const BOUNDS = [field("window_start", "timestamp"), field("window_end", "timestamp")];
const TABLE_FIELDS = [
  field("symbol", "string"),
  field("rate", "double"),
  field("venue", "string", true),
  field("updated_at", "timestamp"),
];
const STATE = {
  aggregate: "one entry per open window and group, dropped when the window closes",
  join: "rows of both sides, dropped when no match can come",
  deduplicate: "one entry per key, dropped after the interval",
};

const named = (value) =>
  value && typeof value === "object" && !Array.isArray(value) ? Object.keys(value) : [];
const inputNames = { join: ["left", "right"], table_join: ["input", "table"], union: ["inputs"] };

function inputsOf(step) {
  return (inputNames[step.op] ?? ["input"])
    .flatMap((name) => (name === "inputs" ? (step.inputs ?? []) : [step[name]]))
    .filter(Boolean);
}

function schemaOf(step, inputs) {
  const [first = [], second = []] = inputs;
  const has = (name) => first.some((one) => one.name === name);
  switch (step.op) {
    case "aggregate":
      return [
        ...(step.window ? BOUNDS : []),
        ...(Array.isArray(step.by) ? step.by : named(step.by)).map(
          (name) => first.find((one) => one.name === name) ?? field(name, "string", true),
        ),
        ...Object.entries(step.measures ?? {}).map(([name, of]) =>
          field(name, String(of).startsWith("count") ? "long" : "double", !String(of).startsWith("count")),
        ),
      ];
    case "derive":
      return [
        ...first,
        ...named(step.fields)
          .filter((name) => !has(name))
          .map((name) => field(name, "double", true)),
      ];
    case "join":
    case "table_join":
      return [
        ...first,
        ...second.map((one) =>
          has(one.name) ? { ...one, name: `${step.prefix ?? "right"}_${one.name}` } : one,
        ),
      ];
    case "select":
      return Array.isArray(step.fields)
        ? step.fields.map((name) => first.find((one) => one.name === name) ?? field(name, "string", true))
        : named(step.fields).map((name) => field(name, "string", true));
    default:
      return first;
  }
}

function kindOf(step, first) {
  if (step.op === "aggregate") return step.emit === "final" || step.window?.session ? "append" : "upsert";
  if (step.op === "latest") return "upsert";
  return first?.kind ?? "append";
}

function stateOf(step) {
  if (step.op === "aggregate" && !step.window)
    return { bound: "unbounded", why: "one entry per group, never dropped" };
  return STATE[step.op] ? { bound: "bounded", why: STATE[step.op] } : { bound: "none", why: "" };
}

/** @param contractFields of every stream */
export function nodesOf(text, contractFields) {
  const { sources = {}, steps = {} } = documentOf(text);
  const found = new Map();
  const base = (name) => ({
    name,
    identity_kind: "row",
    watermark_slack: "0s",
    windowed: false,
    ports: [],
    only_ports: false,
  });
  for (const [name, source] of Object.entries(sources ?? {}))
    found.set(name, {
      ...base(name),
      op: "source",
      inputs: [],
      schema: source?.table ? TABLE_FIELDS : contractFields,
      kind: source?.table ? "upsert" : "append",
      identity: source?.table ? ["symbol"] : ["_source", "_partition", "_offset"],
      state: { bound: "none", why: "" },
      watermarks: [],
    });
  const left = new Map(Object.entries(steps ?? {}));
  for (let round = 0; round < 50 && left.size; round += 1)
    for (const [name, step] of left) {
      const inputs = inputsOf(step ?? {}).map((one) => found.get(String(one).split(".")[0]));
      const needed = step?.op === "union" ? 2 : (inputNames[step?.op] ?? ["input"]).length;
      if (!step || inputs.length < needed || inputs.some((one) => !one)) continue;
      left.delete(name);
      found.set(name, stepNode(base(name), step, inputs, sources));
    }
  return [...found.values()];
}

function stepNode(base, step, inputs, sources) {
  const schema = schemaOf(
    step,
    inputs.map((one) => one.schema),
  );
  const [first] = inputs;
  const state = stateOf(step);
  const kind = kindOf(step, first);
  const identity =
    step.op === "aggregate"
      ? [
          ...(step.window ? ["window_start", "window_end"] : []),
          ...(Array.isArray(step.by) ? step.by : named(step.by)),
        ]
      : (first?.identity ?? []);
  const port = (name) => ({
    name,
    schema: first?.schema ?? [],
    kind: "append",
    identity: first?.identity ?? [],
    identity_kind: "row",
    watermark_slack: "0s",
    windowed: false,
  });
  const ports =
    step.op === "branch"
      ? [...named(step.branches), ...(step.rest ? [step.rest] : [])].map(port)
      : step.late === "dead_letter"
        ? [port("late")]
        : [];
  const delays = Object.fromEntries(
    Object.entries(sources)
      .filter(([, one]) => one?.stream)
      .map(([name, one]) => [name, one.delay ?? "10s"]),
  );
  return {
    ...base,
    op: step.op,
    inputs: inputs.map((one) => one.name),
    schema,
    kind,
    identity,
    windowed: Boolean(step.window),
    ports,
    only_ports: step.op === "branch",
    state,
    watermarks: state.bound === "none" ? [] : [{ query: "append", delays, policy: "min" }],
  };
}

/** Inputs that are missing or name nothing. */
export function inputProblems(text) {
  const { sources = {}, steps = {}, outputs = {} } = documentOf(text);
  const names = new Set([...Object.keys(sources ?? {}), ...Object.keys(steps ?? {})]);
  const problem = (path, code, message) => ({ code, path, message, hint: "", severity: "error", span: null });
  const check = (path, value) =>
    value === undefined || value === null
      ? [problem(path, "PARAMETER_MISSING", `${path.at(-1)} is required.`)]
      : names.has(String(value).split(".")[0])
        ? []
        : [problem(path, "REFERENCE_UNKNOWN", `There is no “${value}”.`)];
  return [
    ...(names.size ? [] : [problem(["sources"], "PARAMETER_MISSING", "sources is required.")]),
    ...Object.entries(steps ?? {}).flatMap(([name, step]) => {
      const path = (input) => ["steps", name, input];
      if (step?.op === "union")
        return (step.inputs ?? []).length < 2
          ? [problem(path("inputs"), "PARAMETER_RANGE", "inputs needs at least 2 entries.")]
          : [];
      const on =
        step?.op === "join" && !named(step.on).length
          ? [problem(path("on"), "JOIN_NO_KEY", "A join needs at least one pair of key fields.")]
          : [];
      return [
        ...(inputNames[step?.op] ?? ["input"]).flatMap((input) => check(path(input), step?.[input])),
        ...on,
      ];
    }),
    ...Object.entries(outputs ?? {}).flatMap(([name, output]) =>
      check(["outputs", name, "input"], output?.input),
    ),
  ];
}

function documentOf(text) {
  try {
    return parse(text) ?? {};
  } catch {
    return {};
  }
}
