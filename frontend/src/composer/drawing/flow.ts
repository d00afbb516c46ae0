/** The graph as React Flow's nodes and edges. No React. */

import { Position as Side, type Edge, type Node, type NodeHandle } from "@xyflow/react";
import type { SchemaField } from "../../api/types";
import type { LiveNode } from "./live-facts";
import type { NodeText } from "./node-text";
import type { Graph, GraphEdge, GraphNode } from "./graph";
import { handleTop } from "./node-size";
import type { Direction, Position, Size } from "./layout";

export interface NodeData extends Record<string, unknown> {
  node: GraphNode;
  text: NodeText;
  /** what the running job tells of it, or the preview of what is edited */
  live: LiveNode;
  isOpen: boolean;
  direction: Direction;
}
export interface EdgeData extends Record<string, unknown> {
  edge: GraphEdge;
  /** null: the check has not told them */
  fields: readonly SchemaField[] | null;
  /** rows per second in words, empty where unknown; left out where no job runs */
  rate?: string;
  /** the same as a number; null: unknown */
  perSecond?: number | null;
}
export type FlowNode = Node<NodeData, "weir">;
export type FlowEdge = Edge<EdgeData, "weir">;

/** The ID of a port's handle; React Flow takes none that is empty. */
export function portHandle(port: string): string {
  return `out:${port}`;
}
export function inputHandle(input: string): string {
  return `in:${input}`;
}
/** The reference behind the handle of a port. */
export function referenceAt(id: string, handle: string | null | undefined): string {
  const port = handle?.slice(portHandle("").length) ?? "";
  return port ? `${id}.${port}` : id;
}
/** The input behind a handle. */
export function inputAt(handle: string | null | undefined): string {
  return handle?.slice(inputHandle("").length) ?? "";
}

export const HANDLE = 14;

/** Where the handles of a node are, so that edges are drawn before the browser measures anything. */
export function handlesOf(node: GraphNode, size: Size, direction: Direction): NodeHandle[] {
  const place = (type: "source" | "target", id: string, at: number, count: number): NodeHandle => {
    const isInput = type === "target";
    const down = direction === "down";
    const across = (size.width * (at + 1)) / (count + 1);
    const top = handleTop(node, isInput ? "inputs" : "ports", at);
    return {
      id,
      type,
      position: down ? (isInput ? Side.Top : Side.Bottom) : isInput ? Side.Left : Side.Right,
      x: (down ? across : isInput ? 0 : size.width) - HANDLE / 2,
      y: (down ? (isInput ? 0 : size.height) : top) - HANDLE / 2,
      width: HANDLE,
      height: HANDLE,
    };
  };
  return [
    ...node.inputs.map(({ name }, at) => place("target", inputHandle(name), at, node.inputs.length)),
    ...node.ports.map(({ name }, at) => place("source", portHandle(name), at, node.ports.length)),
  ];
}

interface Drawn {
  data: ReadonlyMap<string, NodeData>;
  sizes: ReadonlyMap<string, Size>;
  positions: ReadonlyMap<string, Position>;
  selected: ReadonlySet<string>;
  /** the node that Tab reaches */
  current: string | null;
  labels: ReadonlyMap<string, string>;
}

/** The nodes for React Flow; one of them is reached by Tab, the others by arrows. */
export function flowNodes({ nodes }: Graph, drawn: Drawn): FlowNode[] {
  return nodes.flatMap((node) => {
    const data = drawn.data.get(node.id);
    const size = drawn.sizes.get(node.id);
    if (!data || !size) return [];
    return [
      {
        id: node.id,
        type: "weir" as const,
        data,
        position: drawn.positions.get(node.id) ?? { x: 0, y: 0 },
        ...size,
        measured: size,
        handles: handlesOf(node, size, data.direction),
        selected: drawn.selected.has(node.id),
        ariaRole: "group" as const,
        ariaLabel: drawn.labels.get(node.id) ?? node.name,
        domAttributes: {
          tabIndex: node.id === drawn.current ? 0 : -1,
          "aria-roledescription": node.kind,
        },
      },
    ];
  });
}

/** The edges for React Flow. */
export function flowEdges(
  { edges }: Graph,
  data: ReadonlyMap<string, EdgeData>,
  selected: string | null,
): FlowEdge[] {
  return edges.flatMap((edge) => {
    const found = data.get(edge.id);
    if (!found) return [];
    const port = edge.reference.slice(edge.from.length + 1);
    return [
      {
        id: edge.id,
        type: "weir" as const,
        source: edge.from,
        sourceHandle: portHandle(port),
        target: edge.to,
        targetHandle: inputHandle(edge.input),
        data: found,
        selected: edge.id === selected,
        ariaLabel: `${edge.reference} to ${edge.to}`,
      },
    ];
  });
}
