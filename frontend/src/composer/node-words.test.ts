import { describe, expect, it } from "vitest";
import { keyWords, lagWords, stateWords } from "./node-words";

describe("what is known of a step", () => {
  it.each([
    [{ kind: "append", identity: null }, "only added, each told apart by where it was read"],
    [{ kind: "append", identity: ["window_start", "k"] }, "only added, one for each window_start, k"],
    [{ kind: "upsert", identity: ["k"] }, "one for each k; a newer one replaces the older"],
    [{ kind: "upsert", identity: [] }, "one in all; a newer one replaces the older"],
  ] as const)("%j", (node, words) => {
    expect(keyWords({ kind: node.kind, identity: node.identity ? [...node.identity] : null })).toBe(words);
  });

  it("how far it trails, with a unit", () => {
    expect(lagWords({ lag: "0s" })).toBeNull();
    expect(lagWords({ lag: "1m5s" })).toBe("1 min 5 s of event time behind the watermark");
  });

  it("what it keeps, and why that ends or does not", () => {
    expect(stateWords({ bound: "bounded", why: "one entry per key" })).toBe("one entry per key");
    expect(stateWords({ bound: "none", why: "" })).toContain("nothing");
  });
});
