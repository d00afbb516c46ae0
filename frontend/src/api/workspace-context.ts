import { createContext, useContext } from "react";
import type { Right, Workspace } from "./types";

export const WorkspaceContext = createContext<Workspace | null>(null);

/** The workspace that the page is about. Only below the shell, which sets it. */
export function useWorkspace(): Workspace {
  const workspace = useContext(WorkspaceContext);
  if (!workspace) throw new Error("useWorkspace outside a workspace");
  return workspace;
}

/**
 * True if the person has this right here (platform/weir/workspaces/roles.py). The server enforces it; this
 * only hides what it would reject.
 */
export function useMay(right: Right): boolean {
  return useWorkspace().rights.includes(right);
}
