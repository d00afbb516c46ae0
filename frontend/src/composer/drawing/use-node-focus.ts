import { useReactFlow } from "@xyflow/react";
import { useCallback, useEffect, useRef, type RefObject } from "react";
import type { FlowEdge, FlowNode } from "./flow";
import type { Graph } from "./graph";

const HEAD = 52;
const MARGIN = 40;

/** Puts the focus on nodes, also on one that is drawn only after the next change, and reveals them. */
export function useNodeFocus(box: RefObject<HTMLDivElement | null>, graph: Graph) {
  const flow = useReactFlow<FlowNode, FlowEdge>();
  const wanted = useRef<string | null>(null);

  const reveal = useCallback(
    (id: string) => {
      const rect = box.current?.getBoundingClientRect();
      const node = elementOf(box.current, id)?.getBoundingClientRect();
      if (!rect || !node) return;
      const [x0, y0] = [node.left + node.width / 2, node.top + Math.min(node.height, HEAD) / 2];
      const isInside =
        x0 > rect.left + MARGIN && x0 < rect.right - MARGIN && y0 > rect.top && y0 < rect.bottom - MARGIN;
      if (isInside) return;
      const found = flow.getInternalNode(id);
      if (!found) return;
      const { x, y } = found.internals.positionAbsolute;
      const { width = 0, height = 0 } = found.measured;
      void flow.setCenter(x + width / 2, y + Math.min(height, 200) / 2, {
        zoom: Math.max(flow.getZoom(), 0.6),
      });
    },
    [box, flow],
  );

  const focusNow = useCallback(
    (id: string) => {
      const element = elementOf(box.current, id);
      if (!element) return false;
      element.focus({ preventScroll: true });
      reveal(id);
      return true;
    },
    [box, reveal],
  );

  useEffect(() => {
    const id = wanted.current;
    if (id === null || !graph.nodes.some((node) => node.id === id)) return;
    const frame = window.requestAnimationFrame(() => {
      if (focusNow(id)) wanted.current = null;
    });
    return () => {
      window.cancelAnimationFrame(frame);
    };
  }, [graph, focusNow]);

  return {
    /** focuses a node that is drawn */
    focusNow,
    /** focuses a node once it is drawn */
    focusSoon: useCallback((id: string) => {
      wanted.current = id;
    }, []),
    reveal,
  };
}

/** The ID of the node whose element this is; null for any other. */
export function nodeIdOf(element: Element): string | null {
  return element.classList.contains("react-flow__node") ? element.getAttribute("data-id") : null;
}

export function elementOf(box: HTMLElement | null, id: string): HTMLElement | null {
  return box?.querySelector<HTMLElement>(`.react-flow__node[data-id="${CSS.escape(id)}"]`) ?? null;
}
