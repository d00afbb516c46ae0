/** What kind of thing the rows of a result are: which fields name a row, which measure it. */

import type { ResultShape, SchemaField } from "../../../api/types";

export interface RowShape {
  windowed: boolean;
  /** false where rows have no key (they are known by their record): there is nothing to compare numbers by */
  charted: boolean;
  /** fields that name a row, without the window's bounds */
  keys: readonly SchemaField[];
  measures: readonly SchemaField[];
  /** fields that are neither key nor number */
  others: readonly SchemaField[];
}

const BOUNDS: readonly string[] = ["window_start", "window_end"];

export function isNumeric(type: string): boolean {
  return ["int", "long", "double"].includes(type) || type.startsWith("decimal");
}

/** @param sample a row, used only where the job's schema is not known yet */
export function shapeOf(result: ResultShape | null, sample: Record<string, unknown> | undefined): RowShape {
  const schema =
    result?.schema ??
    Object.entries(sample ?? {}).map(([name, value]) => ({
      name,
      type: typeof value === "number" ? "double" : "string",
      nullable: true,
    }));
  const identity = result?.identity ?? [];
  const plain = schema.filter(({ name }) => !BOUNDS.includes(name));
  const rest = plain.filter(({ name }) => !identity.includes(name));
  const windowed = result?.windowed ?? (sample !== undefined && "window_start" in sample);
  const keys = plain.filter(({ name }) => identity.includes(name));
  return {
    windowed,
    charted: windowed || (result?.identity_kind ?? "key") === "key",
    keys,
    measures: rest.filter(({ type }) => isNumeric(type)),
    others: rest.filter(({ type }) => !isNumeric(type)),
  };
}

/** True for measures that count things: their axis begins at zero. */
export function isCount({ type }: SchemaField): boolean {
  return type === "long" || type === "int";
}
