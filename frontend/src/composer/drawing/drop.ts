/** What lies under a place of the page. */

import type { GraphEdge } from "./graph";

/** The edge under a pointer, or undefined. */
export function edgeAt(
  { clientX, clientY }: { clientX: number; clientY: number },
  edges: readonly GraphEdge[],
): GraphEdge | undefined {
  for (const element of document.elementsFromPoint(clientX, clientY)) {
    const id =
      element.closest<HTMLElement>("[data-edge]")?.dataset["edge"] ??
      element.closest(".react-flow__edge")?.getAttribute("data-id");
    const edge = edges.find((one) => one.id === id);
    if (edge) return edge;
  }
  return undefined;
}
