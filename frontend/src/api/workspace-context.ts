import { createContext, useContext } from "react";
import type { Role, Workspace } from "./types";

export const WorkspaceContext = createContext<Workspace | null>(null);

/** The workspace that the page is about. Only below the shell, which sets it. */
export function useWorkspace(): Workspace {
  const workspace = useContext(WorkspaceContext);
  if (!workspace) throw new Error("useWorkspace outside a workspace");
  return workspace;
}

const ORDER: readonly Role[] = ["viewer", "editor", "owner"];

/**
 * True if the user's role allows what `needed` allows. The server enforces it; this only hides what it would
 * reject.
 */
export function useHasRole(needed: Role): boolean {
  return ORDER.indexOf(useWorkspace().role) >= ORDER.indexOf(needed);
}
