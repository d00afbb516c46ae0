/** What nodes and edges of the drawing can ask for. */

import { createContext } from "react";
import type { GraphEdge } from "./graph";
import type { Target } from "./fits";

export interface Actions {
  /** false: the drawing of a running job, which shows only */
  isEditable: boolean;
  /** why an input can't read a reference; null if it can */
  misfit: (reference: string, target: Target) => string | null;
  fold: (id: string) => void;
  insertOn: (edge: GraphEdge) => void;
  disconnect: (edge: GraphEdge) => void;
}

export const NO_ACTIONS: Actions = {
  isEditable: false,
  misfit: () => "",
  fold: () => undefined,
  insertOn: () => undefined,
  disconnect: () => undefined,
};

export const ActionsContext = createContext<Actions>(NO_ACTIONS);
