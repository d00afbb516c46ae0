/** Values of a field's profile as text. No React. */

import type { FieldProfile } from "../../api/types";
import { UNKNOWN, count } from "../../ui/format/numbers";

/** A value of a record, as JSON writes it; texts without quotes. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined) return UNKNOWN;
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** `'OK' 412, 'FAILED' 61`: the most frequent values; what all values being different means in words. */
export function topText({ top, distinct }: FieldProfile, rows: number): string {
  if (top.length)
    return top.map(({ value, records }) => `${valueText(value)} (${count(records)})`).join(", ");
  return distinct !== null && distinct > 1 && rows > 1 ? "all different" : UNKNOWN;
}

/** `2 … 9`; one value alone where both are equal. */
export function rangeText({ lowest, highest }: FieldProfile): string {
  const [low, high] = [valueText(lowest), valueText(highest)];
  return low === high ? low : `${low} … ${high}`;
}
