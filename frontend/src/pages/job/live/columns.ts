import type { SchemaField } from "../../../api/types";
import { isNumeric, type RowShape } from "./shape";

export interface ResultColumn {
  field: string;
  title: string;
  kind: "window" | "key" | "number" | "value" | "newest";
  numeric: boolean;
  width: string;
}

function ofField(field: SchemaField, kind: "key" | "value"): ResultColumn {
  const numeric = isNumeric(field.type);
  return { field: field.name, title: field.name, kind: numeric ? "number" : kind, numeric, width: numeric ? "minmax(84px, 1fr)" : "minmax(92px, 1.4fr)" };
}

/** Window, keys, measures, other values, and when the newest input of the row arrived. */
export function columnsOf(shape: RowShape): ResultColumn[] {
  const window: ResultColumn = { field: "window_start", title: "Window (event time)", kind: "window", numeric: false, width: "minmax(178px, 1.5fr)" };
  return [
    ...(shape.windowed ? [window] : []),
    ...shape.keys.map((field) => ofField(field, "key")),
    ...shape.measures.map((field) => ofField(field, "value")),
    ...shape.others.map((field) => ofField(field, "value")),
    { field: "_newest", title: "Newest input", kind: "newest", numeric: true, width: "minmax(104px, 1fr)" },
  ];
}
