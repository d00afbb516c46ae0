/** Rows of a batch as cells. No React. */

import { cellText } from "./test-model";

type Row = Readonly<Record<string, unknown>>;

const INSTANT = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.(\d{6})Z$/;

/** All columns that a row has, in the order in which they first come. */
export function columnsOf(rows: readonly Row[]): string[] {
  return [...new Set(rows.flatMap((row) => Object.keys(row)))];
}

/** A value; instants without the zeros behind their seconds. */
export function shownValue(value: unknown): string {
  const [, seconds, fraction] = (typeof value === "string" && INSTANT.exec(value)) || [];
  if (seconds === undefined || fraction === undefined) return cellText(value);
  const rest = fraction.replace(/0+$/, "");
  return `${seconds}${rest && `.${rest}`}Z`;
}
