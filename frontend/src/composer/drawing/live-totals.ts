/** What a running job reads and writes in all: sums of what its drawing shows. No React. */

import { ownValue } from "../../api/own-value";
import { readOutline } from "../outline";
import { graphOf } from "./graph";
import { staticNodes, sumOf, type RunNumbers } from "./live-facts";

export interface Totals {
  /** rows per second; null: unknown */
  rowsIn: number | null;
  rowsOut: number | null;
}

/**
 * The rates of all sources and of all outputs, over the same time as those of single nodes.
 *
 * @param written rows per second that the run wrote, where its outputs are not counted one by one
 */
export function totalRates(text: string, run: RunNumbers, written: number | null): Totals {
  const reading = readOutline(text);
  if ("unsupported" in reading || !run) return { rowsIn: null, rowsOut: null };
  const graph = graphOf(reading.outline);
  const once = staticNodes(graph, reading.outline.steps);
  const rateOf = (reference: string) => ownValue(run.given, reference) ?? null;
  const outputs = graph.nodes.filter(({ kind }) => kind === "output").map(({ id }) => id);
  return {
    rowsIn: sumOf(
      graph.nodes.filter(({ id, kind }) => kind === "source" && !once.has(id)).map(({ id }) => rateOf(id)),
    ),
    rowsOut:
      sumOf(graph.edges.filter(({ to }) => outputs.includes(to)).map(({ reference }) => rateOf(reference))) ??
      written,
  };
}
