import { useMemo, useState } from "react";
import type { SchemaField } from "../../../api/types";

/** By name: whether an integer field with the name of a time holds instants. */
type Instants = ReadonlyMap<string, boolean>;
type Rows = readonly { value: Readonly<Record<string, unknown>> }[];

const NONE: Instants = new Map();
const SAMPLED_ROWS = 20;
const TIME_NAME = /(?:^|_)(?:at|time|ts|timestamp|ms|us|window_start|window_end)$|[a-z](?:At|Time|Ts|Ms|Us)$/;

/** The integer fields that hold instants since 1970: they measure nothing. */
export function useInstants(schema: readonly SchemaField[], rows: Rows): readonly string[] {
  const [kept, setKept] = useState({ schema, instants: NONE });
  const before = kept.schema === schema ? kept.instants : NONE;
  const instants = withInstants(before, schema, rows.slice(0, SAMPLED_ROWS));
  if (instants !== kept.instants) setKept({ schema, instants });
  return useMemo(() => [...instants].filter(([, is]) => is).map(([name]) => name), [instants]);
}

/** A name alone may be that of a duration, so the first values decide; later rows change nothing. */
export function withInstants(known: Instants, schema: readonly SchemaField[], rows: Rows): Instants {
  const found = schema.flatMap(({ name, type }): [string, boolean][] => {
    if (type !== "long" || !TIME_NAME.test(name) || known.has(name)) return [];
    const values = rows.map(({ value }) => value[name]).filter((value) => typeof value === "number");
    return values.length ? [[name, areInstants(name, values)]] : [];
  });
  return found.length ? new Map([...known, ...found]) : known;
}

/** Epoch milliseconds or microseconds of the years 2001 to 2096. */
function areInstants(name: string, values: readonly number[]): boolean {
  const within = (from: number, to: number) => values.every((value) => value >= from && value < to);
  return within(1e15, 4e15) || (!/us$/i.test(name) && within(1e12, 4e12));
}
