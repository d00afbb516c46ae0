import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { renderToStaticMarkup } from "react-dom/server";
import { afterEach, expect, it, vi } from "vitest";
import { Route, Router } from "wouter";
import { WorkspaceContext } from "../../api/workspace-context";
import { writeTypedSql, type TypedSql } from "../../composer/sql/typed-sql";
import NewJobPage from "./new-job";

const texts = new Map<string, string>();
const store = {
  getItem: (key: string) => texts.get(key) ?? null,
  setItem: (key: string, text: string) => void texts.set(key, text),
  removeItem: (key: string) => void texts.delete(key),
};

function rendered(): string {
  vi.stubGlobal("window", { localStorage: store, location: { search: "" } });
  return renderToStaticMarkup(
    <Router ssrPath="/jobs/new/text">
      <QueryClientProvider client={new QueryClient()}>
        <WorkspaceContext value={{ slug: "ops", name: "Ops", role: "editor", rights: ["read", "edit"] }}>
          <MantineProvider>
            <Route path="/jobs/new/:way?" component={NewJobPage} />
          </MantineProvider>
        </WorkspaceContext>
      </QueryClientProvider>
    </Router>,
  );
}

afterEach(() => {
  vi.unstubAllGlobals();
  texts.clear();
});

it("SQL that was typed and not checked yet is a draft", () => {
  expect(rendered()).not.toContain("Draft saved in this browser.");
  const start = { yaml: "", sql: "", name: "" };
  const typed: TypedSql = { text: "SELECT 1", read: "", yaml: "", start, diverged: false };
  writeTypedSql(store, "ops.new-job", typed);
  expect(rendered()).toContain("Draft saved in this browser.");
});
