import { useWindowEvent } from "@mantine/hooks";
import { useEffect, useImperativeHandle, useRef, type Ref, type RefObject } from "react";
import { focusPath } from "../path-focus";
import type { DrawingHandle } from "./drawing-props";
import { outputId, type Graph, type GraphNode } from "./graph";
import { selectionOf } from "./selection";
import type { CurrentNode } from "./use-current-node";
import type { View } from "./use-view";

interface FormOpeningOf {
  /** what the drawing can be asked from outside */
  ref: Ref<DrawingHandle> | undefined;
  view: Pick<View, "setSelected" | "setCurrent" | "width">;
  graph: Graph;
  node: Pick<CurrentNode, "back" | "reveal">;
  /** the first of the selected nodes */
  first: string | undefined;
}

interface FormOpening {
  /** holds the form */
  side: RefObject<HTMLDivElement | null>;
  /** selects a node and puts the cursor into its form */
  openForm: (id: string) => void;
}

/** Ways between the drawing and the form of a node: into a field of it, and back to the node. */
export function useFormOpening({ ref, view, graph, node, first }: FormOpeningOf): FormOpening {
  const { setSelected, setCurrent, width } = view;
  const { back, reveal } = node;
  const side = useRef<HTMLDivElement>(null);
  const openForm = (id: string, path?: readonly string[]) => {
    setSelected(selectionOf(id));
    setCurrent(id);
    window.requestAnimationFrame(() => {
      if (path) focusPath(side.current, path);
      else firstField(side.current)?.focus();
    });
  };
  useImperativeHandle(ref, () => ({
    goTo: (path) => {
      const id = nodeAt(graph, path)?.id;
      if (id === undefined) return;
      reveal(id);
      openForm(id, path);
    },
  }));
  useEffect(() => {
    // The form beside it may have covered the node.
    if (first !== undefined) reveal(first);
  }, [first, width, reveal]);
  // A button of the form may be gone with what it did, and the focus with it.
  useWindowEvent("keydown", (event) => {
    if (event.key === "Escape" && document.activeElement === document.body) back();
  });
  return {
    side,
    openForm: (id) => {
      openForm(id);
    },
  };
}

function firstField(form: HTMLElement | null): HTMLElement | null {
  return form?.querySelector<HTMLElement>("input:not([type=hidden]), textarea") ?? null;
}

/** The node that a path in the document leads to or into. */
function nodeAt(graph: Graph, [section, name = ""]: readonly string[]): GraphNode | undefined {
  const id = section === "outputs" ? outputId(name) : name;
  return graph.nodes.find((node) => node.id === id);
}
