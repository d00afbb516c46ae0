import type { KeyboardEvent } from "react";
import type { Graph } from "./graph";
import type { Overlay } from "./overlays";
import type { Moved } from "./positions";
import type { Selection } from "./selection";
import type { CurrentNode } from "./use-current-node";
import { useKeys } from "./use-keys";
import type { ShownPositions } from "./use-positions";
import type { View } from "./use-view";

interface EditingKeysOf {
  view: View;
  graph: Graph;
  selection: Selection;
  node: Pick<CurrentNode, "current" | "go">;
  move: (moved: Moved) => void;
  tidy: ShownPositions["tidy"];
  openAdd: () => void;
  openForm: (id: string) => void;
  remove: () => void;
  show: (overlay: Overlay) => void;
}

/** What the keys do while the drawing can be edited: a handler for its box. */
export function useEditingKeys(keys: EditingKeysOf): (event: KeyboardEvent) => void {
  const { view, graph, selection, show } = keys;
  const { current, go } = keys.node;
  return useKeys({
    box: view.box,
    isEditable: true,
    graph,
    current,
    selection,
    select: view.setSelected,
    focusNode: go,
    move: (ids, dx, dy) => {
      keys.move(view.movedBy(ids, dx, dy));
    },
    commands: {
      ...view.commands,
      add: keys.openAdd,
      connect: () => {
        if (current) show({ kind: "connect", id: current });
      },
      delete: keys.remove,
      find: () => {
        show({ kind: "find" });
      },
      ...(keys.tidy && { tidy: keys.tidy }),
      open: () => {
        if (current) keys.openForm(current);
      },
      fold: () => {
        if (current) view.fold(current);
      },
    },
  });
}
