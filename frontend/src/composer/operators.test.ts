import { describe, expect, it } from "vitest";
import backend from "./operator-parameters.json";
import type { Operator } from "./operator-fields";
import { OPERATORS } from "./operators";
import {
  isUnsupported,
  placeholder,
  shownFields,
  type Metadata,
  type OperatorParameters,
  type Values,
} from "./parameters";
import { CHOICES, DURATIONS, FLAGS, NUMBERS } from "./settings";
import { WINDOW_PARAMETERS } from "./window-choice";

/** A parameter as the backend knows it, or as the form does: its default, and what may be chosen. */
type Known = Pick<Metadata, "default" | "options">;

type Table = Readonly<Record<string, Known>>;

function sorted(table: Table): Table {
  return Object.fromEntries(Object.entries(table).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function known(operator: Operator): Table {
  return Object.fromEntries([
    ...operator.inputs.map((name): [string, Known] => [name, {}]),
    ...operator.fields.flatMap((field) => {
      const path = field.path.join(".");
      return [[path, valuesOf(field)] as const, ...(field.input === "window" ? ofWindows(path) : [])];
    }),
  ]);
}

function ofWindows(path: string): (readonly [string, Known])[] {
  return Object.entries(WINDOW_PARAMETERS)
    .filter(([kind]) => kind !== "none")
    .flatMap(([kind, parameters]) => [
      [`${path}.${kind}`, {}] as const,
      ...parameters.map((one) => [`${path}.${kind}.${one.name}`, valuesOf(one)] as const),
    ]);
}

function valuesOf({ default: otherwise, options }: Metadata): Known {
  return { ...(otherwise !== undefined && { default: otherwise }), ...(options && { options }) };
}

function valuesOfAll(parameters: OperatorParameters): Table {
  return Object.fromEntries(Object.entries(parameters).map(([path, one]) => [path, valuesOf(one)]));
}

describe("the form knows what the backend knows", () => {
  const operators: Readonly<Record<string, OperatorParameters>> = backend.operators;

  it("has every operator and no other", () => {
    expect(Object.keys(OPERATORS).sort()).toEqual(Object.keys(operators).sort());
  });

  it.each(Object.entries(OPERATORS))(
    "%s: every parameter, no other, with its default and its choices",
    (op, operator) => {
      expect(sorted(known(operator))).toEqual(sorted(valuesOfAll(operators[op] ?? {})));
    },
  );

  it.each(Object.entries(OPERATORS))(
    "%s: a placeholder is what is meant when nothing is written",
    (op, { fields }) => {
      for (const field of fields) {
        const meant = operators[op]?.[field.path.join(".")]?.default;
        if (typeof meant === "string" || typeof meant === "number")
          expect(placeholder(field).replaceAll(",", "")).toBe(
            meant === "" ? "" : `Default: ${String(meant)}`,
          );
      }
    },
  );

  it("settings: every one, with its default and its choices", () => {
    const form = Object.fromEntries<Known>([
      ...CHOICES.map(
        ({ name, initial, options }) =>
          [name, { default: initial, options: options.map(({ value }) => value) }] as const,
      ),
      ...DURATIONS.map(({ name, initial }) => [name, { default: initial }] as const),
      ...NUMBERS.map(({ name, initial }) => [name, initial === null ? {} : { default: initial }] as const),
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
    shownFields(op, OPERATORS[op]?.fields ?? [], { params, types: new Map(Object.entries(types)) }).map(
      ({ path }) => path.join("."),
    );

  it("names of an element for lists, of key and value for maps", () => {
    const types = { items: "array<string>", labels: "map<string,long>" };
    expect(shown("explode", { field: "items" }, types)).toEqual(["field", "as", "position", "keep_empty"]);
    expect(shown("explode", { field: "labels" }, types)).toEqual([
      "field",
      "key",
      "value",
      "position",
      "keep_empty",
    ]);
  });

  it("what is written although it does not apply, so that it can be taken out", () => {
    expect(shown("explode", { field: "labels", as: "one" }, { labels: "map<string,long>" })).toContain("as");
    expect(shown("aggregate", { grace: "5s" })).toEqual(["window", "by", "grace", "measures"]);
  });

  it("grace, results and late rows of windows only", () => {
    expect(shown("aggregate", { window: { tumbling: { size: "1m" } } })).toEqual([
      "window",
      "by",
      "grace",
      "emit",
      "late",
      "measures",
    ]);
  });

  it("time bounds of a join, limits of a broadcast table, retention of a versioned table", () => {
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
