/** The order of a field's values in tables. No React. */

import { numeric } from "./windows";

export type SortKey = number | string | null;

/** What a value is compared by: several times a second over thousands of rows, so it is read once. */
export function sortKey(value: unknown): SortKey {
  if (value === null || value === undefined) return null;
  if (value === "Infinity" || value === "-Infinity") return Number(value); // NaN is a text: above all numbers
  const number = numeric(value);
  if (number !== null) return number;
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** null < numbers < texts: texts of which some look like numbers have one order. */
export function compare(a: SortKey, b: SortKey): number {
  if (a === b) return 0;
  if (a === null) return -1;
  if (b === null) return 1;
  if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
  return a < b ? -1 : 1;
}
