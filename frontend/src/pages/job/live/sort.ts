import { compare, sortKey } from "../../../charts/value-order";
import type { CachedRow } from "../../../live/result-store";

/**
 * Rows in order, several times a second over thousands of rows: each value is read once, not at each
 * comparison.
 *
 * @param sort a field's name, with `-` in front for descending; rows that are equal there stand by identity
 */
export function sortRows(rows: readonly CachedRow[], sort: string): CachedRow[] {
  const sign = sort.startsWith("-") ? -1 : 1;
  const field = sort.replace(/^-/, "");
  const keyed = rows.map((row) => ({
    row,
    key: field === "_newest" ? row.newest : sortKey(row.value[field]),
  }));
  keyed.sort((a, b) => sign * compare(a.key, b.key) || (a.row.id < b.row.id ? -1 : 1));
  return keyed.map(({ row }) => row);
}
