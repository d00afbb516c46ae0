import { useReactFlow } from "@xyflow/react";
import type { DragEvent } from "react";
import { edgeAt } from "./drop";
import type { FlowEdge, FlowNode } from "./flow";
import type { GraphEdge } from "./graph";
import type { Item, Place } from "./graph-edits";
import { NODE_WIDTH } from "./node-size";
import { draggedItem } from "./palette";
import type { Moved } from "./positions";

/** From a node's top to where the pointer holds it: half the height of its head. */
const GRIP = 26;

interface PaletteDropOf {
  edges: readonly GraphEdge[];
  /** adds an item and tells its node, if it got one */
  add: (item: Item, place: Place) => string | null;
  /** puts nodes somewhere */
  move: (moved: Moved) => void;
}

/** Adds what is dragged out of the palette: a step on the edge under the pointer, all else at the pointer. */
export function usePaletteDrop({ edges, add, move }: PaletteDropOf): (event: DragEvent) => void {
  const flow = useReactFlow<FlowNode, FlowEdge>();
  return (event) => {
    const item = draggedItem(event);
    if (!item) return;
    event.preventDefault();
    const edge = item.kind === "step" ? edgeAt(event, edges) : undefined;
    const id = add(item, edge ? { edge } : { apart: true });
    if (!id || edge) return;
    const { x, y } = flow.screenToFlowPosition({ x: event.clientX, y: event.clientY });
    move({ [id]: { x: Math.round(x - NODE_WIDTH / 2), y: Math.round(y - GRIP) } });
  };
}
