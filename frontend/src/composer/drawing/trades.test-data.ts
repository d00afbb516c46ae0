/** A document with all that the drawing knows, for tests. */

import type { CheckedNode } from "../../api/types";
import type { Drawn } from "./fits";
import { graphOf } from "./graph";
import { outlineOf } from "./graph-edits";

export const TEXT = `format: 1
name: trades
sources:
  trades: {stream: trades} # all venues
  rates: {table: rates}
steps:
  # big ones
  big:
    op: filter
    input: trades # from the source
    where: price > 10
  split: {op: branch, input: big, branches: {up: price > 20}, rest: others}
  named: {op: table_join, input: split.up, table: rates, on: {symbol: symbol}}
  stats:
    op: aggregate
    input: named
    window: {tumbling: {size: 1m}}
    by: [symbol]
    late: dead_letter
    measures: {n: count()}
  both:
    op: union
    inputs: [big, split.others]
outputs:
  live: {input: stats, to: result} # shown
  late: {input: stats.late, to: {topic: late}}
`;

/** A text as outline and graph. */
export function drawn(text: string, nodes: readonly CheckedNode[] = []): Drawn {
  const outline = outlineOf(text);
  return { outline, graph: graphOf(outline, nodes), nodes };
}
