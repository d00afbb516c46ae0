import { numeric } from "../../../charts/windows";
import type { KeptRow } from "../../../live/results";
import type { RowShape } from "./shape";

function compare(a: unknown, b: unknown): number {
  if (a === b) return 0;
  if (a === null || a === undefined) return -1;
  if (b === null || b === undefined) return 1;
  const left = numeric(a);
  const right = numeric(b);
  if (left !== null && right !== null) return left - right;
  const leftText = typeof a === "string" ? a : JSON.stringify(a);
  const rightText = typeof b === "string" ? b : JSON.stringify(b);
  return leftText < rightText ? -1 : leftText > rightText ? 1 : 0;
}

/** @param sort a field's name, with `-` in front for descending; rows that are equal there stand by key */
export function sortRows(rows: readonly KeptRow[], sort: string, shape: RowShape): KeptRow[] {
  const descending = sort.startsWith("-");
  const field = descending ? sort.slice(1) : sort;
  const ties = shape.keys.map(({ name }) => name);
  return [...rows].sort((a, b) => {
    const order = field === "_newest" ? a.newest - b.newest : compare(a.value[field], b.value[field]);
    if (order !== 0) return descending ? -order : order;
    for (const tie of ties) {
      const next = compare(a.value[tie], b.value[tie]);
      if (next !== 0) return next;
    }
    return a.id < b.id ? -1 : 1;
  });
}
