import { describe, expect, it } from "vitest";
import type { CheckedNode, Problem } from "../../api/types";
import { layOut } from "./layout";
import { handleTop, shownFields, sizeOf } from "./node-size";
import { emissionText, nodeTextOf, spokenText } from "./node-text";
import { drawn, TEXT } from "./trades.test-data";

describe("the layout", () => {
  const { graph } = drawn(TEXT);
  const size = { width: 100, height: 40 };

  it.each(["right", "down"] as const)("goes %s, and no nodes overlap", (direction) => {
    const places = layOut(graph, () => size, direction);
    const along = direction === "right" ? "x" : "y";
    for (const { from, to } of graph.edges)
      expect(places.get(from)?.[along] ?? 0).toBeLessThan(places.get(to)?.[along] ?? 0);
    const all = [...places.values()];
    for (const [at, a] of all.entries())
      for (const b of all.slice(at + 1))
        expect(Math.abs(a.x - b.x) >= size.width || Math.abs(a.y - b.y) >= size.height).toBe(true);
  });

  it("survives a cycle, which a text may have", () => {
    const text = "sources: {}\nsteps: {a: {op: filter, input: b}, b: {op: filter, input: a}}";
    expect(layOut(drawn(text).graph, () => size, "right").size).toBe(2);
  });
});

const CHECKED: CheckedNode = {
  name: "stats",
  op: "aggregate",
  inputs: ["named"],
  schema: Array.from({ length: 9 }, (_, n) => ({ name: `f${String(n)}`, type: "long", nullable: false })),
  kind: "upsert",
  identity: ["symbol"],
  identity_kind: "key",
  watermark_slack: "0s",
  windowed: true,
  ports: [],
  only_ports: false,
  state: { bound: "bounded", why: "one entry per window" },
  watermarks: [{ query: "q", delays: { trades: "10s" }, policy: "min" }],
};

describe("a node", () => {
  const { outline, graph } = drawn(TEXT);
  const problem: Problem = {
    code: "FIELD_UNKNOWN",
    path: ["steps", "stats", "by"],
    message: "No such field.",
    hint: "",
    severity: "error",
    span: null,
  };
  const node = graph.nodes.find(({ id }) => id === "stats");
  if (!node) throw new Error("stats");
  const text = nodeTextOf(node, {
    outline,
    nodes: [CHECKED],
    problems: [problem],
    forecast: [{ step: "stats", bound: "bounded", why: "", rows: 10, bytes: 2048 }],
  });

  it("says what the check found", () => {
    expect(text.facts).toEqual([
      { label: "Rows", text: "Upsert" },
      { label: "Key", text: "symbol" },
      { label: "Emits", text: "On every update" },
      { label: "State", text: "Bounded, ~2 KiB", detail: "one entry per window" },
      { label: "Watermark", text: "trades − 10 s" },
    ]);
    expect(spokenText(node, text, ["named"])).toBe(
      "stats, Aggregate; 1 error; reads named; 9 fields; Rows: Upsert; Key: symbol; " +
        "Emits: On every update; State: Bounded, ~2 KiB (one entry per window); Watermark: trades − 10 s",
    );
  });

  it("folds its fields beyond a handful, and is as high as its lines", () => {
    expect(shownFields(text, false).shown).toHaveLength(5);
    expect(shownFields(text, true).shown).toHaveLength(9);
    expect(sizeOf(node, text, true).height - sizeOf(node, text, false).height).toBe(80);
    expect(sizeOf(node, text, false, 2).height - sizeOf(node, text, false).height).toBe(40);
    expect(handleTop(node, "ports", 1) - handleTop(node, "ports", 0)).toBe(20);
  });

  it.each([
    [{ op: "aggregate", window: { session: { gap: "1m" } } }, "When the window closes"],
    [{ op: "aggregate", emit: "final" }, "When the window closes"],
    [{ op: "join", type: "anti" }, "When no match can come"],
    [{ op: "join" }, "On a match"],
    [{ op: "filter" }, ""],
  ])("emits: %j: %s", ({ op, ...params }, expected) => {
    expect(emissionText({ name: "x", op, params }, outline)).toBe(expected);
  });
});
