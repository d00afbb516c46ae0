/** What kind of thing the rows of a result are: which fields name a row, which measure it. */

import { isNumeric } from "../../../api/field-types";
import type { ResultShape, SchemaField } from "../../../api/types";

export interface RowShape {
  windowed: boolean;
  /** false where no chart fits: rows without a key (known by their record), or without a number to compare */
  charted: boolean;
  /** fields that name a row, without the window's bounds */
  keys: readonly SchemaField[];
  measures: readonly SchemaField[];
  /** fields that are neither key nor measure */
  others: readonly SchemaField[];
  /** integer fields that hold instants */
  instants: readonly string[];
}

const BOUNDS: readonly string[] = ["window_start", "window_end"];

/** Fields that only rows from before an edit have: they keep their form until they change. */
export function earlierFields(
  schema: readonly SchemaField[],
  rows: readonly { value: Readonly<Record<string, unknown>> }[],
): SchemaField[] {
  const known = new Set(schema.map(({ name }) => name));
  const found: SchemaField[] = [];
  for (const { value } of rows)
    for (const name in value) {
      if (known.has(name)) continue;
      known.add(name);
      found.push({ name, type: typeof value[name] === "number" ? "double" : "string", nullable: true });
    }
  return found;
}

/**
 * @param sample a row, used only where the job's schema is not known yet
 * @param instants integer fields that hold instants (`useInstants`)
 * @param earlier fields of rows from before an edit (`earlierFields`): shown, and neither keys nor measures
 */
export function shapeOf(
  result: ResultShape | null,
  sample: Record<string, unknown> | undefined,
  instants: readonly string[] = [],
  earlier: readonly SchemaField[] = [],
): RowShape {
  const schema =
    result?.schema ??
    Object.entries(sample ?? {}).map(([name, value]) => ({
      name,
      type: typeof value === "number" ? "double" : "string",
      nullable: true,
    }));
  const identity = result?.identity ?? [];
  const hasBounds = BOUNDS.every((bound) => schema.some(({ name }) => name === bound));
  const windowed = hasBounds && (result?.windowed ?? true);
  const plain = windowed ? schema.filter(({ name }) => !BOUNDS.includes(name)) : schema;
  const rest = plain.filter(({ name }) => !identity.includes(name));
  const keys = plain.filter(({ name }) => identity.includes(name));
  const isMeasure = ({ name, type }: SchemaField) => isNumeric(type) && !instants.includes(name);
  const measures = rest.filter(isMeasure);
  // Windows whose bounds have other names, or are left out, are rows of a table like any other.
  const compared = windowed || (!result?.windowed && (result?.identity_kind ?? "key") === "key");
  return {
    windowed,
    charted: compared && measures.length > 0,
    keys,
    measures,
    others: [...rest.filter((field) => !isMeasure(field)), ...earlier],
    instants,
  };
}

/** The measure that an address names, or the first: the address may be older than the result. */
export function measureOf({ measures }: RowShape, name: string | null): SchemaField | null {
  return measures.find((field) => field.name === name) ?? measures[0] ?? null;
}

/** True for measures that count things: their axis begins at zero. */
export function isCount({ type }: SchemaField): boolean {
  return type === "long" || type === "int";
}

/** What the table is sorted by at first: the newest first, or the largest where a chart shows the largest. */
export function initialSort({ windowed, charted, measures: [first] }: RowShape): string {
  if (windowed) return "-window_start";
  return charted && first ? `-${first.name}` : "-_newest";
}
