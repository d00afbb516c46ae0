import { MantineProvider, type MantineThemeOverride } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { Router } from "wouter";
import { WorkspaceContext } from "../api/workspace-context";

interface Surroundings {
  /** Where in the workspace, without the workspace. */
  path?: string;
  search?: string;
  role?: "viewer" | "editor";
  /** What was already answered; without it nothing was. */
  client?: QueryClient;
  theme?: MantineThemeOverride;
}

/** The markup of `page` as the workspace "ops" shows it first, before any effect; for tests only. */
export function renderedInWorkspace(
  page: ReactNode,
  { path = "/", search = "", role = "editor", client = new QueryClient(), theme }: Surroundings = {},
): string {
  const rights = role === "viewer" ? (["read"] as const) : (["read", "edit"] as const);
  return renderToStaticMarkup(
    <Router ssrPath={path} ssrSearch={search}>
      <QueryClientProvider client={client}>
        <WorkspaceContext value={{ slug: "ops", name: "Ops", role, rights: [...rights] }}>
          <MantineProvider theme={theme} env="test">
            {page}
          </MantineProvider>
        </WorkspaceContext>
      </QueryClientProvider>
    </Router>,
  );
}

/** A `localStorage` that keeps its texts in `texts`. */
export function storageIn(texts: Map<string, string>) {
  return {
    getItem: (key: string) => texts.get(key) ?? null,
    setItem: (key: string, text: string) => void texts.set(key, text),
    removeItem: (key: string) => void texts.delete(key),
  };
}
