import { describe, expect, it } from "vitest";
import { searchHits } from "./search-hits";

const SEARCHED = {
  dashboards: [{ id: "d1", name: "Night shift" }],
  rights: ["read_audit_trail" as const],
  jobs: [{ id: "j1", name: "order-totals" }],
  groups: [{ cluster: "home", name: "billing/eu", topics: ["bank.payments"] }],
  streams: [
    {
      name: "orders",
      topic: "shop.orders",
      kind: "stream" as const,
      contract: { fields: [{ name: "amount" }, { name: "status" }] },
    },
    { name: "lines", topic: "lines", kind: "table" as const, contract: {} },
  ],
};
const found = (text: string) => searchHits(SEARCHED, text, 30).map(({ name, href }) => [name, href]);

describe("search", () => {
  it("finds jobs and streams by name, and streams by their topic", () => {
    expect(found("order").slice(0, 2)).toEqual([
      ["order-totals", "/jobs/j1"],
      ["orders", "/streams/orders"],
    ]);
    expect(found("shop.")).toEqual([["orders", "/streams/orders"]]);
  });

  it("finds consumer groups by name and topic", () => {
    expect(found("billing")).toEqual([["billing/eu", "/consumers/home/billing%2Feu"]]);
    expect(found("payments")).toEqual([["billing/eu", "/consumers/home/billing%2Feu"]]);
  });

  it("finds dashboards by name", () => {
    expect(found("night")).toEqual([["Night shift", "/dashboards/d1"]]);
  });

  it("finds the map, alerts, the audit trail, and a job's graph, tests and logs", () => {
    expect(found("map")).toContainEqual(["Map", "/map"]);
    expect(found("alerts")).toContainEqual(["Alerts", "/alerts"]);
    expect(found("audit")).toEqual([["Audit trail", "/admin/audit"]]);
    expect(found("openlineage")).toEqual([["OpenLineage", "/admin/openlineage"]]);
    for (const tab of ["graph", "tests", "logs"])
      expect(found(`${tab} of order-totals`).map(([, href]) => href)).toEqual([`/jobs/j1/${tab}`]);
  });

  it("finds fields", () => {
    expect(found("amount")).toEqual([["amount of orders", "/streams/orders/contract"]]);
  });

  it("finds pages by their names and by what they show", () => {
    expect(found("engines")).toEqual([["Engines", "/admin/engines"]]);
    const groups = [
      ["billing/eu", "/consumers/home/billing%2Feu"],
      ["Consumers", "/consumers"],
      ["Lag of order-totals", "/jobs/j1/lag"],
    ];
    expect(found("consumer group")).toEqual(groups);
    expect(found("Group Consumer")).toEqual(groups);
    expect(found("sasl")).toEqual([["Kafka clusters", "/admin/clusters"]]);
  });

  it("tells every hit by its address and name, so that a list never keeps one that no longer matches", () => {
    const all = searchHits(SEARCHED, "o", 100).map(({ name, href }) => `${href} ${name}`);
    expect(new Set(all).size).toBe(all.length);
  });

  it("finds nothing where there is nothing", () => {
    expect(found("no such thing")).toEqual([]);
  });
});
