import { useState } from "react";
import type { Graph } from "./graph";
import { renamedNodes } from "./positions";
import type { Selection } from "./selection";

interface Follows {
  selected: Selection;
  setSelected: (selection: Selection) => void;
}

/** Lets a node that was renamed since the last graph stay selected. */
export function useFollowedRenames(graph: Graph, { selected, setSelected }: Follows): void {
  const [known, setKnown] = useState(graph);
  if (known === graph) return;
  setKnown(graph);
  const names = renamedNodes(known, graph);
  if (!names.size) return;
  const now = [...selected.nodes].map((id) => names.get(id) ?? id);
  setSelected({ ...selected, nodes: new Set(now) });
}
