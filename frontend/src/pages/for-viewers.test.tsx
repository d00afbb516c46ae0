import { QueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { keys } from "../api/query-keys";
import type { Stream } from "../api/types";
import { renderedInWorkspace } from "../testing/rendered";
import { NewSchemaPage } from "./schemas/new-schema";
import { StreamPage } from "./stream/stream";
import { RegisterStreamPage } from "./streams/register";

const ORDERS = {
  name: "orders",
  description: "",
  cluster: "home",
  cluster_name: "Home",
  topic: "shop.orders",
  topic_id: "x",
  partitions: 2,
  contract: { format: "json", fields: [{ name: "id", type: "long" }] },
  kind: "stream",
  used_by: [],
  created_at: "2026-11-01T00:00:00Z",
  revision: 1,
  records: 0,
  rate_per_second: 0,
} as unknown as Stream;

function shown(page: ReactNode, role: "viewer" | "editor"): string {
  const client = new QueryClient();
  client.setQueryData(keys.stream("ops", "orders"), ORDERS);
  return renderedInWorkspace(page, { role, client });
}

beforeEach(() => {
  const localStorage = { getItem: () => null, setItem: () => undefined, removeItem: () => undefined };
  vi.stubGlobal("window", { localStorage, location: { search: "" } });
});
afterEach(() => {
  vi.unstubAllGlobals();
});

it.each([
  ["a stream", <RegisterStreamPage key="stream" />, "Viewers can&#x27;t register streams"],
  ["a schema", <NewSchemaPage key="schema" />, "Viewers can&#x27;t register schemas"],
  ["a record", <StreamPage key="produce" name="orders" tab="produce" />, "Page not found"],
])("whoever can't make %s gets no form for it", (_, page, said) => {
  expect(shown(page, "viewer")).toContain(said);
  expect(shown(page, "viewer")).not.toContain("<input");
  expect(shown(page, "editor")).not.toContain(said);
  expect(shown(page, "editor")).toContain("<input");
});

it("a stream that is no table has no page of rows", () => {
  expect(shown(<StreamPage name="orders" tab="rows" />, "editor")).toContain("Page not found");
});
