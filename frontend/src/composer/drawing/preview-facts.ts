/** What a preview tells of the nodes of a drawing. No React. */

import type { Preview, PreviewStep } from "../../api/types";
import { count, counted } from "../../ui/format/numbers";
import { flowText, lossesOf } from "../preview/counts";
import type { Graph, GraphNode } from "./graph";
import type { LiveNode } from "./live-facts";
import type { Fact } from "./node-text";

/** The newest preview of a document. */
export interface Previewed {
  preview: Preview;
  /** it is of the text before the last change */
  isStale: boolean;
}

/** By node one line, so that the drawing keeps its layout from preview to preview. */
export function previewNodes(graph: Graph, { preview, isStale }: Previewed): ReadonlyMap<string, LiveNode> {
  return new Map(
    graph.nodes.flatMap((node): [string, LiveNode][] => {
      const fact = node.kind === "output" ? outputFact(node, preview) : stepFact(node, preview);
      if (!fact) return [];
      const label = isStale ? "Last preview" : "Preview";
      return [[node.id, { facts: [{ label, ...fact }], flow: "unknown" }]];
    }),
  );
}

type Told = Omit<Fact, "label">;

function outputFact({ name }: GraphNode, preview: Preview): Told | null {
  const output = preview.outputs.find((one) => one.name === name);
  return output ? { text: rowsText(output) } : null;
}

function stepFact({ name }: GraphNode, preview: Preview): Told | null {
  const steps = preview.steps.filter(({ node }) => node === name);
  const [first] = steps;
  if (!first) return null;
  if (!steps.some(({ known }) => known)) return { text: "Not seen" };
  const losses = lossesOf(first, preview);
  const rows = steps.reduce((sum, step) => sum + step.rows + step.tombstones, 0);
  const more = [
    ...steps.map((step) => (steps.length > 1 ? `${step.reference}: ${rowsText(step)}` : flowText(step))),
    ...losses.map(({ text }) => text),
    ...(rows === 0 && first.empty ? [first.empty] : []),
  ];
  return {
    text: first.rows_in === null ? counted(rows, "row") : `${count(first.rows_in)} in, ${count(rows)} out`,
    detail: more.join("; "),
    ...(losses.some(({ isMeant }) => !isMeant) && { isWarning: true }),
  };
}

function rowsText({ rows, tombstones }: Pick<PreviewStep, "rows" | "tombstones">): string {
  return tombstones ? `${counted(rows, "row")}, ${counted(tombstones, "tombstone")}` : counted(rows, "row");
}
