import { describe, expect, it } from "vitest";
import backend from "./operator-parameters.json";
import { OPERATORS, type Operator } from "./operators";
import { EMISSIONS, isUnsupported, LATE_POLICIES, shownFields, type Field, type Values } from "./parameters";
import { CHOICES, DURATIONS, FLAGS } from "./settings";
import { WINDOW_PARAMETERS } from "./window-choice";

/** A parameter as the backend knows it, or as the form does: what goes without saying, and what may be chosen. */
interface Known { default?: unknown; options?: readonly string[] }

type Table = Readonly<Record<string, Known>>;

function sorted(known: Table): Table {
  return Object.fromEntries(Object.entries(known).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function known(operator: Operator): Record<string, Known> {
  return Object.fromEntries([...operator.inputs.map((name): [string, Known] => [name, {}]), ...operator.fields.flatMap(ofField)]);
}

function ofField(field: Field): [string, Known][] {
  const path = field.path.join(".");
  switch (field.kind) {
    case "window":
      return [[path, {}], ...ofWindows(path)];
    case "choice":
      return [[path, { default: field.initial, options: field.options.map(({ value }) => value) }]];
    case "emission":
      return [[path, { default: "update", options: EMISSIONS.map(({ value }) => value) }]];
    case "late":
      return [[path, { default: "drop", options: LATE_POLICIES.map(({ value }) => value) }]];
    case "flag":
      return [[path, { default: false }]];
    default:
      return [[path, {}]];
  }
}

function ofWindows(path: string): [string, Known][] {
  return Object.entries(WINDOW_PARAMETERS).filter(([kind]) => kind !== "none").flatMap(([kind, parameters]): [string, Known][] => [
    [`${path}.${kind}`, {}],
    ...parameters.map(({ name, otherwise, choices }): [string, Known] => [`${path}.${kind}.${name}`, { ...(otherwise && { default: otherwise }), ...(choices && { options: choices }) }]),
  ]);
}

/** Free values show what is meant without them as a placeholder, which is looked at below. */
function comparable(parameters: Table, form: Table): Table {
  return Object.fromEntries<Known>(Object.entries(parameters).map(([path, one]) => [path, form[path]?.default === undefined && !one.options ? {} : one]));
}

describe("the form knows what the backend knows", () => {
  const operators: Readonly<Record<string, Table>> = backend.operators;

  it("has every operator and no other", () => {
    expect(Object.keys(OPERATORS).sort()).toEqual(Object.keys(operators).sort());
  });

  it.each(Object.entries(OPERATORS))("%s: every parameter, no other, with its default and its choices", (op, operator) => {
    const form = known(operator);
    expect(sorted(form)).toEqual(sorted(comparable(operators[op] ?? {}, form)));
  });

  it.each(Object.entries(OPERATORS))("%s: a placeholder is what is meant when nothing is written", (op, { fields }) => {
    for (const field of fields) {
      const meant = operators[op]?.[field.path.join(".")]?.default;
      if ((field.kind === "text" || field.kind === "number") && meant !== undefined && meant !== "") {
        expect(field.example?.replaceAll(",", "")).toBe(`${meant as string}`);
      }
    }
  });

  it("settings: every one, with its default and its choices", () => {
    const form = Object.fromEntries<Known>([
      ...CHOICES.map(({ name, initial, options }) => [name, { default: initial, options: options.map(({ value }) => value) }] as const),
      ...DURATIONS.map(({ name, initial }) => [name, { default: initial }] as const),
      ...FLAGS.map(({ name }) => [name, { default: false }] as const),
    ]);
    expect(sorted(form)).toEqual(sorted(backend.settings));
  });

  it("sources and outputs: what their forms write", () => {
    expect(Object.keys(backend.source)).toEqual(["stream", "table", "delay"]);
    expect(Object.keys(backend.topic)).toEqual(["topic", "format", "names"]);
    expect(backend.topic.format.options).toEqual(["json", "avro"]);
  });
});

describe("which fields a step shows", () => {
  const shown = (op: string, params: Values, types: Readonly<Record<string, string>> = {}) =>
    shownFields(op, OPERATORS[op]?.fields ?? [], { params, types: new Map(Object.entries(types)) }).map(({ path }) => path.join("."));

  it("names of an element for lists, of key and value for maps", () => {
    const types = { items: "array<string>", labels: "map<string,long>" };
    expect(shown("explode", { field: "items" }, types)).toEqual(["field", "as", "position", "keep_empty"]);
    expect(shown("explode", { field: "labels" }, types)).toEqual(["field", "key", "value", "position", "keep_empty"]);
  });

  it("what is written although it does not apply, so that it can be taken out", () => {
    expect(shown("explode", { field: "labels", as: "one" }, { labels: "map<string,long>" })).toContain("as");
    expect(shown("aggregate", { grace: "5s" })).toEqual(["window", "by", "grace", "measures"]);
  });

  it("grace, results and late rows of windows only", () => {
    expect(shown("aggregate", { window: { tumbling: { size: "1m" } } })).toEqual(["window", "by", "grace", "emit", "late", "measures"]);
  });

  it("bounds of a join that has them, limits of a table that is copied, versions of one that has them", () => {
    expect(shown("join", {})).not.toContain("between.after");
    expect(shown("join", { between: { after: "1m" } })).toContain("between.before");
    expect(shown("table_join", { broadcast: {} })).toContain("broadcast.max_rows");
    expect(shown("table_join", { version: "as_of" })).toContain("retention");
    expect(shown("table_join", {})).not.toContain("retention");
  });

  it("nothing that this version refuses, unless it is written", () => {
    const refused = (OPERATORS["cast"]?.fields ?? []).filter((field) => isUnsupported("cast", field));
    for (const { path } of refused) {
      expect(shown("cast", {})).not.toContain(path.join("."));
      expect(shown("cast", { [path[0] ?? ""]: "dead_letter" })).toContain(path.join("."));
    }
  });
});
