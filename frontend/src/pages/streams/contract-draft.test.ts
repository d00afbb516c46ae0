import { describe, expect, it } from "vitest";
import type { Inference } from "../../api/types";
import { EMPTY_DRAFT, missing, nameOf, requestOf, withInference } from "./contract-draft";

const inference: Inference = {
  fields: [
    { name: "symbol", type: "string", nullable: false, notes: [], examples: ["A"] },
    { name: "at", type: "long", nullable: false, notes: ["looks like milliseconds"], examples: ["1"] },
  ],
  event_time: [{ kind: "field", field: "at", unit: "ms", why: "rises" }],
  malformed: 0, notes: [], looked: { partitions: [], records: 10, bytes: 100, elapsed_ms: 5, stopped_because: "end" },
};

describe("registering a stream", () => {
  it("proposes names that are names", () => {
    expect(nameOf("shop.orders-v2")).toBe("shop_orders_v2");
    expect(nameOf("2013.flights")).toBe("flights");
  });

  it("says what is missing, one thing at a time", () => {
    const draft = { ...EMPTY_DRAFT, topic: "t", name: "t" };
    expect(missing(EMPTY_DRAFT)).toContain("topic");
    expect(missing(draft)).toContain("field");
    const filled = withInference(draft, inference);
    expect(missing(filled)).toBeNull();
    expect(missing({ ...filled, fields: filled.fields.slice(0, 1) })).toContain("event-time field");
    expect(missing({ ...filled, fields: [...filled.fields, ...filled.fields] })).toContain("same name");
  });

  it("takes the first candidate, without its reason", () => {
    const draft = { ...withInference({ ...EMPTY_DRAFT, topic: "t", name: "t" }, inference), create: true, retentionHours: 1, maxAhead: "" };
    expect(requestOf(draft)).toEqual({
      name: "t", description: "", cluster: "home", topic: "t",
      create: { partitions: 2, retention_ms: 3_600_000 },
      contract: {
        format: "json",
        fields: [{ name: "symbol", type: "string", nullable: false }, { name: "at", type: "long", nullable: false }],
        event_time: { kind: "field", field: "at", unit: "ms" },
        delay: "10s", max_ahead: null,
      },
    });
  });
});
