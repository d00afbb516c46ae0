import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { renderToStaticMarkup } from "react-dom/server";
import { afterEach, expect, it, vi } from "vitest";
import { Router } from "wouter";
import { WorkspaceContext } from "../../api/workspace-context";
import { Browse } from "./browse";

afterEach(() => {
  vi.unstubAllGlobals();
});

function exportButton(from: string, search: string): string {
  vi.stubGlobal("window", { location: { search } });
  const page = renderToStaticMarkup(
    <Router ssrPath="/" ssrSearch={search}>
      <QueryClientProvider client={new QueryClient()}>
        <WorkspaceContext value={{ slug: "ops", name: "Ops", role: "editor", rights: ["read", "edit"] }}>
          <MantineProvider>
            <Browse topicRef={{ cluster: "home", topic: "trades" }} partitions={1} fields={[]} from={from} />
          </MantineProvider>
        </WorkspaceContext>
      </QueryClientProvider>
    </Router>,
  );
  return page.slice(page.lastIndexOf("<button", page.indexOf("Export")), page.indexOf("Export"));
}

it.each([
  ["time", "", true],
  ["time", "time=2026-01-31T10:00:00Z", false],
  ["offset", "", true],
  ["offset", "offset=5", false],
  ["newest", "", false],
])("exports from %s with %j: disabled is %s", (from, search, disabled) => {
  expect(exportButton(from, search)).toMatch(disabled ? /data-disabled/ : /^<button(?!.*data-disabled)/s);
});
