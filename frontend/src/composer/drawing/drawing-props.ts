/** What the drawing is given, and what it can be asked. */

import type { ReactNode, Ref } from "react";
import type { CheckedNode, Problem } from "../../api/types";
import type { Previewed } from "./preview-facts";
import type { KeptPositions } from "./use-positions";

export interface DrawingHandle {
  /** selects the node of a path in the document and puts the cursor into its field */
  goTo: (path: readonly string[]) => void;
}

export interface DrawingProps {
  text: string;
  onChange: (text: string) => void;
  problems: readonly Problem[];
  nodes: readonly CheckedNode[];
  /** whether the check found no errors */
  isSound: boolean;
  positions: KeptPositions;
  /** rows of the newest preview, which the nodes show; null: there is none */
  previewed: Previewed | null;
  /** beside the drawing while no node is selected */
  aside: ReactNode;
  ref?: Ref<DrawingHandle>;
}
