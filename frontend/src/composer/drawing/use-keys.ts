import { useReactFlow } from "@xyflow/react";
import type { KeyboardEvent, RefObject } from "react";
import type { FlowEdge, FlowNode } from "./flow";
import type { Graph } from "./graph";
import { commandOf, type Command } from "./keys";
import { isArrow, neighbour, type Arrow } from "./navigation";
import { NOTHING, selectionOf, type Selection } from "./selection";

/** How far Alt and an arrow move a node. */
const STEP = 24;

interface KeysOf {
  box: RefObject<HTMLElement | null>;
  isEditable: boolean;
  graph: Graph;
  current: string | null;
  selection: Selection;
  select: (selection: Selection) => void;
  focusNode: (id: string) => void;
  move: (ids: readonly string[], dx: number, dy: number) => void;
  commands: Readonly<Partial<Record<Command, () => void>>>;
}

/** The keys of the drawing: a handler for its box. */
export function useKeys(keys: KeysOf): (event: KeyboardEvent) => void {
  const flow = useReactFlow<FlowNode, FlowEdge>();
  return (event) => {
    const target = event.target as HTMLElement;
    // What React passes on from menus and dialogs is not in the box; a menu that is open has its own keys.
    if (!keys.box.current?.contains(target) || target.getAttribute("aria-expanded") === "true") return;
    if (handled(event, target, keys, flow.getNodes)) event.preventDefault();
  };
}

function handled(
  event: KeyboardEvent,
  target: HTMLElement,
  keys: KeysOf,
  nodes: () => readonly FlowNode[],
): boolean {
  if (event.ctrlKey || event.metaKey) return withCtrl(event, keys);
  if (isArrow(event.key)) return onArrow(event, event.key, keys, nodes());
  const edge = target.closest<HTMLElement>("[data-edge]");
  if (event.altKey || (edge && event.key === "Enter")) return false;
  const command = commandOf(event.key, keys.isEditable);
  if (command === undefined) return false;
  if (command === "edge") nextEdge(keys, edge);
  else if (command === "back") goBack(keys);
  else keys.commands[command]?.();
  return true;
}

function withCtrl(event: KeyboardEvent, { graph, select }: KeysOf): boolean {
  if (event.key.toLowerCase() !== "a" || event.shiftKey) return false;
  select(selectionOf(...graph.nodes.map(({ id }) => id)));
  return true;
}

function onArrow(event: KeyboardEvent, arrow: Arrow, keys: KeysOf, nodes: readonly FlowNode[]): boolean {
  const { current, selection, select, focusNode } = keys;
  if (event.altKey) {
    const ids = selection.nodes.size ? [...selection.nodes] : current === null ? [] : [current];
    const [x, y] = AWAY[arrow];
    keys.move(ids, x * STEP, y * STEP);
    return true;
  }
  const places = nodes.map(({ id, position, width = 0, height = 0 }) => ({ id, ...position, width, height }));
  const next = neighbour(places, current ?? "", arrow);
  if (next === null) return true;
  select(
    event.shiftKey
      ? { nodes: new Set([...selection.nodes, current ?? next, next]), edge: null }
      : selectionOf(next),
  );
  focusNode(next);
  return true;
}

const AWAY: Readonly<Record<Arrow, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** From the node to its first edge, then to its next ones. */
function nextEdge({ box, graph, current, select }: KeysOf, from: HTMLElement | null): void {
  const own = graph.edges.filter((edge) => edge.from === current || edge.to === current);
  const at = own.findIndex(({ id }) => id === from?.dataset["edge"]);
  const next = own[(at + 1) % Math.max(own.length, 1)];
  if (!next) return;
  select({ nodes: new Set(), edge: next.id });
  box.current?.querySelector<HTMLElement>(`[data-edge="${CSS.escape(next.id)}"]`)?.focus();
}

function goBack({ box, current, selection, select, focusNode }: KeysOf): void {
  const isOnNode = document.activeElement?.classList.contains("react-flow__node") ?? false;
  if (current !== null && !isOnNode && box.current?.contains(document.activeElement)) {
    select(selectionOf(current));
    focusNode(current);
  } else if (selection.nodes.size || selection.edge) select(NOTHING);
}
