import { expect, it } from "vitest";
import type { Right } from "../../api/types";
import app from "../../app.tsx?raw";
import {
  ADMIN_TABS,
  ALERT_TABS,
  JOB_TABS,
  MAIN_PAGES,
  OTHER_PAGES,
  STREAM_TABS,
  allowed,
  streamTabsFor,
  type TabEntry,
} from "./pages";
import { searchHits } from "./search-hits";

/** Routes of `app.tsx` that need nothing in their place to be opened: `/admin/:tab?` is `/admin`. */
const ROUTES = [...app.matchAll(/<Route path="([^"]+)"/g)]
  .map(([, path]) => path?.replace(/\/:\w+\?$/, "") ?? "")
  .filter((path) => !path.includes(":"));

const NOTHING = { jobs: [], streams: [], groups: [], dashboards: [] };

it("every route that can be opened as it is, is a page of the table, and the other way round", () => {
  expect(ROUTES.length).toBeGreaterThan(10);
  expect([...ROUTES].sort()).toEqual([...MAIN_PAGES, ...OTHER_PAGES].map(({ href }) => href).sort());
});

it("no page stands where a stream, a table or a schema of any name has its own", () => {
  const all = [...app.matchAll(/<Route path="([^"]+)"/g)].map(([, path]) => path ?? "");
  expect(all).toContain("/streams/:name/:tab?");
  expect(all.filter((path) => /^\/(?:streams|schemas|topics|consumers)\/[^:]/.test(path))).toEqual([]);
});

it("every page and every tab is found by its name", () => {
  const searched = {
    ...NOTHING,
    jobs: [{ id: "j1", name: "totals" }],
    streams: [{ name: "orders", topic: "orders", kind: "table" as const, contract: {} }],
    rights: ["edit" as const, "read_audit_trail" as const],
  };
  const hrefs = (text: string) => searchHits(searched, text, 200).map(({ href }) => href);
  for (const { name, href } of [...MAIN_PAGES, ...OTHER_PAGES]) expect(hrefs(name)).toContain(href);
  const tabs = (base: string, entries: readonly TabEntry[]) =>
    entries.map(({ path, label }) => ({ label, href: path ? `${base}/${path}` : base }));
  for (const { label, href } of [
    ...tabs("/jobs/j1", JOB_TABS),
    ...tabs("/streams/orders", STREAM_TABS),
    ...tabs("/alerts", ALERT_TABS),
    ...tabs("/admin", ADMIN_TABS),
  ])
    expect(hrefs(label), label).toContain(href);
});

it("a tab for which a right is needed is neither shown nor found without it", () => {
  expect(allowed(ADMIN_TABS, []).map(({ path }) => path)).not.toContain("audit");
  expect(searchHits({ ...NOTHING, rights: [] }, "audit", 30)).toEqual([]);
  expect(streamTabsFor("stream", []).map(({ path }) => path)).not.toContain("produce");
  expect(streamTabsFor("stream", []).map(({ path }) => path)).not.toContain("rows");
});

it("a page for which a right is needed isn't found without it", () => {
  const made = ["/jobs/new", "/new-stream", "/new-schema"];
  const found = (rights: readonly Right[]) =>
    searchHits({ ...NOTHING, rights }, "create", 30).map(({ href }) => href);
  expect(found(["read", "edit"])).toEqual(made);
  expect(found(["read"])).toEqual([]);
  expect(searchHits({ ...NOTHING, rights: [] }, "", 30).map(({ href }) => href)).not.toContain("/jobs/new");
});
