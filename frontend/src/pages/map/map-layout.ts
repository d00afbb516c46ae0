/** Where the places of the map stand. No React. */

import { graphlib } from "@dagrejs/dagre";
import potpack from "potpack";
import type { MapEdge, MapNode, WorkspaceMap } from "../../api/types";
import { layOut, type Direction, type Position, type Size } from "../../composer/drawing/layout";

const WIDTH = 208;
const HEIGHT = 64;
const JOB_HEIGHT = 88;
const GAP = 56;
/** Width by height of what the parts of a map are packed into: about as the frame it is drawn in. */
const SHAPE: Readonly<Record<Direction, number>> = { right: 1.6, down: 0.6 };

type Drawn = Pick<WorkspaceMap, "nodes" | "edges">;

export function sizeOf(kind: MapNode["kind"]): Size {
  return { width: WIDTH, height: kind === "job" ? JOB_HEIGHT : HEIGHT };
}

export function edgeId({ from, to }: MapEdge): string {
  return `${from}→${to}`;
}

/**
 * The automatic positions. What flows into each other is drawn in layers; parts that nothing connects are
 * packed side by side, and nodes that nothing flows through stand in rows below.
 */
export function positionsOf({ nodes, edges }: Drawn, direction: Direction): ReadonlyMap<string, Position> {
  const parts = partsOf({ nodes, edges }).map((part) => placed(part, direction));
  const boxes = parts.map(({ width, height, positions }) => ({
    w: (width + GAP) / SHAPE[direction],
    h: height + GAP,
    x: 0,
    y: 0,
    positions,
  }));
  const { w, h } = potpack(boxes);
  const found = boxes.flatMap(({ x: left, y: top, positions }) =>
    positions.map(([id, { x, y }]): [string, Position] => [
      id,
      { x: Math.round(left * SHAPE[direction]) + x, y: top + y },
    ]),
  );
  const columns =
    direction === "down" ? 1 : Math.max(4, Math.floor((w * SHAPE.right - GAP + 32) / (WIDTH + 32)));
  const joined = new Set(found.map(([id]) => id));
  const alone = nodes.filter(({ id }) => !joined.has(id));
  return new Map([
    ...found,
    ...alone.map(({ id }, at): [string, Position] => [
      id,
      {
        x: (at % columns) * (WIDTH + 32),
        y: (parts.length ? h + 8 : 0) + Math.floor(at / columns) * (JOB_HEIGHT + 24),
      },
    ]),
  ]);
}

/** The parts that nothing connects with each other, without nodes that nothing flows through. */
function partsOf({ nodes, edges }: Drawn): readonly Drawn[] {
  const graph = new graphlib.Graph<object, object, object>();
  for (const { from, to } of edges) graph.setEdge(from, to);
  return graphlib.alg.components(graph).map((component) => {
    const ids = new Set(component);
    return {
      nodes: nodes.filter(({ id }) => ids.has(id)),
      edges: edges.filter(({ from }) => ids.has(from)),
    };
  });
}

/** One part, drawn in layers from 0, 0. */
function placed({ nodes, edges }: Drawn, direction: Direction) {
  const kinds = new Map(nodes.map(({ id, kind }) => [id, kind]));
  const sizes = (id: string) => sizeOf(kinds.get(id) ?? "stream");
  const found = layOut(
    {
      nodes: nodes.map(({ id, name }) => ({ id, name, kind: "step", op: "", inputs: [], ports: [] })),
      edges: edges.map((edge) => ({
        id: edgeId(edge),
        from: edge.from,
        to: edge.to,
        reference: edge.from,
        input: "",
        at: 0,
      })),
    },
    sizes,
    direction,
  );
  const positions = [...found];
  const [left, top] = [
    Math.min(...positions.map(([, { x }]) => x)),
    Math.min(...positions.map(([, { y }]) => y)),
  ];
  return {
    width: Math.max(...positions.map(([id, { x }]) => x + sizes(id).width)) - left,
    height: Math.max(...positions.map(([id, { y }]) => y + sizes(id).height)) - top,
    positions: positions.map(([id, { x, y }]): [string, Position] => [id, { x: x - left, y: y - top }]),
  };
}
