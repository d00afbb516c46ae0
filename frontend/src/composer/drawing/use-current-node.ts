import type { Graph } from "./graph";
import { useNodeFocus } from "./use-node-focus";
import type { View } from "./use-view";

/** The node that the keys act on, which is the one that has the focus or had it last. */
export interface CurrentNode {
  /** its ID; null in an empty drawing */
  current: string | null;
  /** makes a node that is drawn the current one and focuses it */
  go: (id: string) => void;
  /** the same for a node that is drawn only after the next change */
  goSoon: (id: string) => void;
  /** the same once a dialog that is closing has given the focus away */
  goAfterDialog: (id: string) => void;
  /** puts the focus back on the current node */
  back: () => void;
  /** brings a node into the visible part of the drawing */
  reveal: (id: string) => void;
}

/** The current node of a graph: the first one, until another one was gone to, and once that is gone. */
export function useCurrentNode(
  { box, currentNode, setCurrent }: Pick<View, "box" | "currentNode" | "setCurrent">,
  graph: Graph,
): CurrentNode {
  const { focusNow, focusSoon, reveal } = useNodeFocus(box, graph);
  const isThere = graph.nodes.some(({ id }) => id === currentNode);
  const current = isThere ? currentNode : (graph.nodes[0]?.id ?? null);
  return {
    current,
    go: (id) => {
      setCurrent(id);
      focusNow(id);
    },
    goSoon: (id) => {
      setCurrent(id);
      focusSoon(id);
    },
    goAfterDialog: (id) => {
      setCurrent(id);
      window.requestAnimationFrame(() => focusNow(id));
    },
    back: () => {
      if (current) focusNow(current);
    },
    reveal,
  };
}
