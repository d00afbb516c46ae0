/** What is selected in the drawing: nodes, or one edge. No React. */

import type { Graph } from "./graph";

export interface Selection {
  nodes: ReadonlySet<string>;
  /** ID of an edge */
  edge: string | null;
}

export const NOTHING: Selection = { nodes: new Set(), edge: null };

export function selectionOf(...ids: readonly string[]): Selection {
  return { nodes: new Set(ids), edge: null };
}

/** What of a selection a graph still has; the same object if it has all. */
export function within(selection: Selection, { nodes, edges }: Graph): Selection {
  const left = [...selection.nodes].filter((id) => nodes.some((node) => node.id === id));
  const edge = edges.some(({ id }) => id === selection.edge) ? selection.edge : null;
  if (left.length === selection.nodes.size && edge === selection.edge) return selection;
  return { nodes: new Set(left), edge };
}
