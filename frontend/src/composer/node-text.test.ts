import { describe, expect, it } from "vitest";
import type { CheckedNode } from "../api/types";
import { keyText, slackText, stateText, watermarkText } from "./node-text";

type Rows = Pick<CheckedNode, "kind" | "identity" | "identity_kind">;

describe("what is known of a step", () => {
  it.each<[Rows, string]>([
    [
      { kind: "append", identity: ["_source", "_partition", "_offset"], identity_kind: "row" },
      "Append-only, key: source, partition, offset",
    ],
    [
      { kind: "append", identity: ["left row", "right row"], identity_kind: "pair" },
      "Append-only, key: left row, right row",
    ],
    [
      { kind: "append", identity: ["window_start", "k"], identity_kind: "key" },
      "Append-only, key: window_start, k",
    ],
    [{ kind: "upsert", identity: ["k"], identity_kind: "key" }, "Upsert, key: k"],
    [{ kind: "upsert", identity: [], identity_kind: "key" }, "Upsert, single row"],
  ])("%j", (rows, words) => {
    expect(keyText(rows)).toBe(words);
  });

  it("how far it trails, with a unit", () => {
    expect(slackText({ watermark_slack: "0s" })).toBeNull();
    expect(slackText({ watermark_slack: "1m5s" })).toBe("1 min 5 s");
  });

  it("what moves time", () => {
    expect(watermarkText({ watermarks: [{ query: "append", delays: { a: "10s" }, policy: "min" }] })).toEqual(
      ["a − 10 s"],
    );
    expect(
      watermarkText({ watermarks: [{ query: "append", delays: { a: "10s", b: "1m" }, policy: "min" }] }),
    ).toEqual(["min of a − 10 s, b − 1 min"]);
    expect(watermarkText({ watermarks: [] })).toEqual([]);
  });

  it("what it keeps, and why that ends or does not", () => {
    expect(stateText({ bound: "bounded", why: "one entry per key" })).toBe("one entry per key");
    expect(stateText({ bound: "none", why: "" })).toBe("Stateless");
  });
});
