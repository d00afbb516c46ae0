/** How large a node is, from what stands in it: the layout is known before anything is drawn. No React. */

import type { GraphNode } from "./graph";
import type { Size } from "./layout";
import type { NodeText } from "./node-text";

export const NODE_WIDTH = 240;
/** Height of a line in a node; drawing.module.css has the same. */
export const LINE = 20;
const HEAD = 52;
const PADDING = 8;
/** More fields than these are folded. */
export const SHOWN_FIELDS = 5;

/** The fields that a node shows, and whether it has a line that folds or unfolds the others. */
export function shownFields({ fields }: NodeText, isOpen: boolean) {
  const isFoldable = fields.length > SHOWN_FIELDS + 1;
  return { shown: isFoldable && !isOpen ? fields.slice(0, SHOWN_FIELDS) : fields, isFoldable };
}

/** Rows of named inputs and ports, side by side; a node with one of each has none. */
export function portRows({ inputs, ports }: GraphNode): number {
  const named = Math.max(inputs.length > 1 ? inputs.length : 0, isPlain(ports) ? 0 : ports.length);
  return named;
}

function isPlain(ports: GraphNode["ports"]): boolean {
  return ports.length === 0 || (ports.length === 1 && ports[0]?.name === "");
}

/** @param extra lines of facts besides those of the text */
export function sizeOf(node: GraphNode, text: NodeText, isOpen: boolean, extra = 0): Size {
  const { shown, isFoldable } = shownFields(text, isOpen);
  const sections = [
    portRows(node),
    shown.length + (isFoldable ? 1 : 0),
    (text.facts?.length ?? 0) + extra,
    text.problems.length ? 1 : 0,
  ].filter(Boolean);
  const lines = sections.reduce((sum, count) => sum + count, 0);
  return { width: NODE_WIDTH, height: HEAD + lines * LINE + sections.length * (PADDING + 1) };
}

/** The middle of a handle from the upper edge of its node: at its row, or in the head where it has none. */
export function handleTop(node: GraphNode, side: "inputs" | "ports", at: number): number {
  const hasRow = side === "inputs" ? node.inputs.length > 1 : !isPlain(node.ports);
  return hasRow ? HEAD + PADDING / 2 + at * LINE + LINE / 2 : HEAD / 2;
}

/** Whether nodes have the sizes that they had. */
export function sameSizes(before: ReadonlyMap<string, Size>, now: ReadonlyMap<string, Size>): boolean {
  return (
    before.size === now.size &&
    [...now].every(([id, { width, height }]) => {
      const had = before.get(id);
      return had?.width === width && had.height === height;
    })
  );
}
