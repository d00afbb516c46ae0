import type { SchemaField } from "../../../api/types";
import { isNumeric } from "../../../api/field-types";
import type { RowShape } from "./row-shape";

export interface ResultColumn {
  field: string;
  title: string;
  kind: "window" | "key" | "number" | "time" | "instant" | "value" | "newest";
  numeric: boolean;
  /** least width in px, and the share of what is left */
  least: number;
  share: number;
}

function ofField(field: SchemaField, kind: "key" | "value", instants: readonly string[]): ResultColumn {
  const numeric = isNumeric(field.type);
  const time = { field: field.name, title: field.name, numeric: false, least: 128, share: 1.3 };
  if (field.type === "timestamp") return { ...time, kind: "time" };
  if (instants.includes(field.name)) return { ...time, kind: "instant" };
  return {
    field: field.name,
    title: field.name,
    kind: numeric ? "number" : kind,
    numeric,
    least: numeric ? 64 : 60,
    share: numeric ? 1 : 1.3,
  };
}

/** Window, keys, measures, other values, and when the newest input of the row arrived. */
export function columnsOf(shape: RowShape): ResultColumn[] {
  const window: ResultColumn = {
    field: "window_start",
    title: "Window (event time)",
    kind: "window",
    numeric: false,
    least: 168,
    share: 1.4,
  };
  return [
    ...(shape.windowed ? [window] : []),
    ...shape.keys.map((field) => ofField(field, "key", [])),
    ...shape.measures.map((field) => ofField(field, "value", shape.instants)),
    ...shape.others.map((field) => ofField(field, "value", shape.instants)),
    { field: "_newest", title: "Newest input", kind: "newest", numeric: true, least: 84, share: 0.9 },
  ];
}
