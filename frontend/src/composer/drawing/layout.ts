/** Positions from a layered layout of the graph (dagre). No React. */

import { Graph as Layers, layout } from "@dagrejs/dagre";
import type { Graph } from "./graph";

export interface Position {
  x: number;
  y: number;
}
export interface Size {
  width: number;
  height: number;
}
/** right: from left to right; down: from top to bottom, for narrow screens */
export type Direction = "right" | "down";

/**
 * @param sizeOf the size of each node
 * @returns the upper left corner of each node by ID; the first is near 0, 0
 */
export function layOut(
  { nodes, edges }: Graph,
  sizeOf: (id: string) => Size,
  direction: Direction,
): ReadonlyMap<string, Position> {
  const layers = new Layers({ multigraph: true });
  layers.setGraph({ rankdir: direction === "right" ? "LR" : "TB", nodesep: 32, ranksep: 76, edgesep: 16 });
  layers.setDefaultEdgeLabel(() => ({}));
  for (const { id } of nodes) layers.setNode(keyOf(id), { ...sizeOf(id) });
  for (const { id, from, to } of edges) layers.setEdge(keyOf(from), keyOf(to), {}, id);
  layout(layers);
  return new Map(
    nodes.map(({ id }) => {
      const { x = 0, y = 0 } = layers.node(keyOf(id)) as Partial<Position>;
      const { width, height } = sizeOf(id);
      return [id, { x: Math.round(x - width / 2), y: Math.round(y - height / 2) }];
    }),
  );
}

/** Dagre keeps nodes in a plain object, which has members such as `constructor` already. */
function keyOf(id: string): string {
  return `n:${id}`;
}
