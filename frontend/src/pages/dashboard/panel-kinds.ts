/** The kinds of panels: their names, what they fit, and what a new one shows. No React. */

import type { Aggregation, LiveOutput, Panel, PanelKind, SchemaField } from "../../api/types";
import { isNumeric } from "../../api/field-types";
import { freePosition } from "./layout";

export const KIND_LABELS: Readonly<Record<PanelKind, string>> = {
  line: "Line",
  area: "Area",
  bar: "Bar",
  number: "Number",
  top_list: "Top list",
  state_timeline: "State timeline",
  map: "Map",
  table: "Table",
};

export const AGGREGATION_LABELS: Readonly<Record<Aggregation, string>> = {
  last: "Last",
  sum: "Sum",
  avg: "Average",
  min: "Minimum",
  max: "Maximum",
  count: "Number of rows",
};

const BOUNDS: readonly string[] = ["window_start", "window_end"];
const MAX_KEYS = 3;
const NEW_COLUMNS = 6;

export interface OutputFields {
  times: readonly SchemaField[];
  numbers: readonly SchemaField[];
  /** identity without the window's bounds */
  keys: readonly SchemaField[];
  /** fields that can name or filter a row */
  texts: readonly SchemaField[];
  all: readonly SchemaField[];
}

export function fieldsOf(output: LiveOutput): OutputFields {
  const { schema, identity } = output.result;
  const keys = schema.filter(({ name }) => identity.includes(name) && !BOUNDS.includes(name));
  return {
    times: schema.filter(({ type }) => type === "timestamp"),
    numbers: schema.filter(({ name, type }) => isNumeric(type) && !identity.includes(name)),
    keys,
    texts: schema.filter(
      ({ name, type }) => !BOUNDS.includes(name) && /^(string|boolean|int|long)$/.test(type),
    ),
    all: schema,
  };
}

function coordinates(fields: OutputFields): { longitude: string; latitude: string } | null {
  const named = (pattern: RegExp) =>
    fields.all.find(({ name, type }) => isNumeric(type) && pattern.test(name))?.name;
  const longitude = named(/^(.*_)?(lon|lng|long|longitude)$/i);
  const latitude = named(/^(.*_)?(lat|latitude)$/i);
  return longitude && latitude ? { longitude, latitude } : null;
}

/** The kinds that a result has the fields for, the one that fits best first. */
export function kindsFor(output: LiveOutput): PanelKind[] {
  const fields = fieldsOf(output);
  const timed = fields.times.length > 0;
  const measured = fields.numbers.length > 0;
  const overTime: PanelKind[] = timed && measured ? ["line", "area", "bar"] : [];
  const byKey: PanelKind[] = measured && fields.keys.length > 0 ? ["top_list"] : [];
  const number: PanelKind[] = measured ? ["number"] : [];
  const states: PanelKind[] = timed && fields.texts.length > 0 ? ["state_timeline"] : [];
  const map: PanelKind[] = fields.all.filter(({ type }) => isNumeric(type)).length > 1 ? ["map"] : [];
  const ordered =
    output.result.windowed || !byKey.length
      ? [...overTime, ...number, ...byKey]
      : [...byKey, ...number, ...overTime];
  const table: PanelKind[] = fields.all.length ? ["table"] : [];
  return [
    ...(coordinates(fields) ? map : []),
    ...ordered,
    ...states,
    ...(coordinates(fields) ? [] : map),
    ...table,
  ];
}

const SIZES: Readonly<Record<PanelKind, readonly [number, number]>> = {
  line: [6, 7],
  area: [6, 7],
  bar: [6, 7],
  number: [3, 4],
  top_list: [4, 7],
  state_timeline: [6, 5],
  map: [6, 9],
  table: [6, 7],
};

function startOf(fields: OutputFields): string {
  return fields.times.find(({ name }) => name === "window_start")?.name ?? fields.times[0]?.name ?? "";
}

/** Counts are added up, averages and prices are averaged. */
export function aggregationFor(field: SchemaField | undefined): Aggregation {
  return field?.type === "int" || field?.type === "long" ? "sum" : "avg";
}

/** A panel of this kind with what the result offers. `panels`: those that are there, for its place and ID. */
export function newPanel(kind: PanelKind, output: LiveOutput, panels: readonly Panel[]): Panel {
  const fields = fieldsOf(output);
  const [width, height] = SIZES[kind];
  const value = fields.numbers[0];
  const keys = fields.keys.slice(0, MAX_KEYS).map(({ name }) => name);
  const base = {
    id: freeId(panels),
    title: value ? `${value.name}, ${output.job_name}` : output.job_name,
    job: output.job,
    output: output.output,
    position: freePosition(panels, width, height),
    filters: [],
  };
  const measured = { ...base, unit: "", thresholds: [] };
  const x = startOf(fields);
  const name = value?.name ?? "";
  const aggregation = aggregationFor(value);
  switch (kind) {
    case "number":
      return { ...measured, kind, value: name, x: x || null, aggregation };
    case "top_list":
      return { ...measured, kind, label: keys, value: name, x: x || null, aggregation, limit: 10 };
    case "state_timeline":
      return { ...base, kind, x, state: stateField(fields), series: keys };
    case "map":
      return { ...measured, kind, ...mapFields(fields), label: keys, value: null };
    case "table": {
      const columns = fields.all.slice(0, NEW_COLUMNS).map((field) => field.name);
      const title = `Rows, ${output.job_name}`;
      return {
        ...measured,
        kind,
        title,
        columns,
        order_by: null,
        descending: true,
        value: value && columns.includes(name) ? name : null,
        limit: 20,
      };
    }
    default:
      return { ...measured, kind, x, y: [name], series: keys, aggregation };
  }
}

/**
 * A panel as another kind of the same result: what both kinds have stays.
 *
 * @param panels those that are there, for the place of a new one
 */
export function withKind(panel: Panel, kind: PanelKind, output: LiveOutput, panels: readonly Panel[]): Panel {
  const made = newPanel(kind, output, panels);
  const own: Record<string, unknown> = { ...panel, ...measureOf(panel, made) };
  const stays = ([name, value]: [string, unknown]) =>
    STAYS.includes(name) &&
    name in own &&
    own[name] !== null &&
    // A top list needs a label where a map has none.
    !(name === "label" && isEmpty(own[name]) && !isEmpty(value));
  const kept = Object.entries(made)
    .filter(stays)
    .map(([name]) => [name, own[name]] as const);
  return { ...made, ...Object.fromEntries(kept) };
}

/** Members that mean the same in each kind that has them; a limit does not. */
const STAYS: readonly string[] = [
  "filters",
  "unit",
  "thresholds",
  "aggregation",
  "x",
  "y",
  "value",
  "series",
  "label",
];

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** What a panel measures, as another kind calls it. */
function measureOf(panel: Panel, other: Panel): { y?: string[]; value?: string | null } {
  const [name] = "y" in panel ? panel.y : "value" in panel && panel.value ? [panel.value] : [];
  if (name === undefined) return {};
  if ("y" in other) return "y" in panel ? {} : { y: [name] };
  const shown = other.kind !== "table" || other.columns.includes(name);
  return { value: shown ? name : null };
}

function stateField(fields: OutputFields): string {
  const plain = fields.texts.filter(({ name }) => !fields.keys.some((key) => key.name === name));
  return (plain.find(({ type }) => type === "string") ?? plain[0] ?? fields.texts[0])?.name ?? "";
}

function mapFields(fields: OutputFields): { longitude: string; latitude: string } {
  const numbers = fields.all.filter(({ type }) => isNumeric(type));
  return coordinates(fields) ?? { longitude: numbers[0]?.name ?? "", latitude: numbers[1]?.name ?? "" };
}

function freeId(panels: readonly Panel[]): string {
  const taken = new Set(panels.map(({ id }) => id));
  let number = panels.length + 1;
  while (taken.has(`p${String(number)}`)) number += 1;
  return `p${String(number)}`;
}
