import { describe, expect, it } from "vitest";
import type { CheckedNode, Problem } from "../../api/types";
import { copyNodes, isPasteable, pasteNodes } from "./clipboard";
import { misfit, type Drawn } from "./fits";
import { graphOf } from "./graph";
import {
  addItem,
  connect,
  disconnect,
  firstReference,
  insertStep,
  outlineOf,
  removeNodes,
} from "./graph-edits";
import { layOut } from "./layout";
import { handleTop, shownFields, sizeOf } from "./node-size";
import { emissionText, nodeTextOf, spokenText } from "./node-text";
import { linksOf } from "./targets";

const TEXT = `format: 1
name: trades
sources:
  trades: {stream: trades} # all venues
  rates: {table: rates}
steps:
  # big ones
  big:
    op: filter
    input: trades # from the source
    where: price > 10
  split: {op: branch, input: big, branches: {up: price > 20}, rest: others}
  named: {op: table_join, input: split.up, table: rates, on: {symbol: symbol}}
  stats:
    op: aggregate
    input: named
    window: {tumbling: {size: 1m}}
    by: [symbol]
    late: dead_letter
    measures: {n: count()}
  both:
    op: union
    inputs: [big, split.others]
outputs:
  live: {input: stats, to: result} # shown
  late: {input: stats.late, to: {topic: late}}
`;

function drawn(text: string, nodes: readonly CheckedNode[] = []): Drawn {
  const outline = outlineOf(text);
  return { outline, graph: graphOf(outline, nodes), nodes };
}

const wires = (text: string) =>
  drawn(text).graph.edges.map(({ reference, to, input }) => `${reference} > ${to}.${input}`);
const edgeTo = (text: string, to: string, at = 0) => {
  const edge = drawn(text).graph.edges.find((one) => one.to === to && one.at === at);
  if (!edge) throw new Error(to);
  return edge;
};

describe("a document as a graph", () => {
  it("has sources, steps and outputs as nodes, references as edges", () => {
    expect(drawn(TEXT).graph.nodes.map(({ id }) => id)).toEqual([
      ...["trades", "rates", "big", "split", "named", "stats", "both"],
      ...["output:live", "output:late"],
    ]);
    expect(wires(TEXT)).toContain("split.others > both.inputs");
    expect(wires(TEXT)).toContain("stats.late > output:late.input");
  });

  it("has a port for each branch and for late rows, and for what is read although nothing declares it", () => {
    const portsOf = (text: string, id: string) =>
      drawn(text)
        .graph.nodes.find((node) => node.id === id)
        ?.ports.map(({ name }) => name);
    expect(portsOf(TEXT, "split")).toEqual(["up", "others"]);
    expect(portsOf(TEXT, "stats")).toEqual(["", "late"]);
    expect(portsOf(TEXT.replace("split.up", "split.odd"), "split")).toEqual(["up", "others", "odd"]);
  });

  it("draws no edge from what isn't there", () => {
    expect(wires(TEXT.replace("input: named", "input: gone")).some((wire) => wire.includes("gone"))).toBe(
      false,
    );
  });
});

describe("a connection", () => {
  const reason = (reference: string, to: string, input: string) =>
    misfit(drawn(TEXT), reference, { to, input });

  it.each([
    ["trades", "named", "table", "This input needs a table."],
    ["big", "big", "input", "A step can't read itself."],
    ["stats", "big", "input", "The steps would form a cycle."],
    ["big", "both", "inputs", "Already connected."],
    ["rates", "stats", "input", "This input needs append-only rows."],
    ["stats.late", "both", "inputs", null],
    ["stats", "output:late", "input", null],
    ["split.others", "named", "input", null],
    ["trades", "both", "inputs", null],
  ])("%s to %s.%s: %s", (reference, to, input, expected) => {
    expect(reason(reference, to, input)).toBe(expected);
  });

  it("follows kinds through steps that keep them, and late rows", () => {
    const more = TEXT.replace(
      "steps:",
      "steps:\n  chosen: {op: filter, input: rates, where: x}\n  held: {op: latest, input: trades, by: [a]}",
    );
    const of = (reference: string, to: string, input: string) =>
      misfit(drawn(more), reference, { to, input });
    expect(of("chosen", "named", "table")).toBeNull();
    expect(of("held", "named", "table")).toBe("This input needs a table.");
    expect(of("held", "both", "inputs")).toBe("This input needs append-only rows.");
    expect(of("stats.late", "held", "input")).toBe("Late rows can't go to a stateful step.");
  });

  it("compares windows of a tumbling aggregate alone", () => {
    const more = TEXT.replace("steps:", "steps:\n  changed: {op: change, of: [n]}");
    expect(misfit(drawn(more), "stats", { to: "changed", input: "input" })).toBeNull();
    expect(misfit(drawn(more), "big", { to: "changed", input: "input" })).toContain("tumbling");
  });

  it("lists what fits a node, and what would be replaced", () => {
    const links = linksOf(drawn(TEXT), "both");
    expect(links.map(({ key }) => key)).toContain("both output:live input");
    expect(links.find(({ key }) => key === "both output:live input")?.does).toBe("instead of stats");
    expect(links.some(({ reference }) => reference === "big")).toBe(false);
  });

  it("changes one value of the text, and is put after the operator where there was none", () => {
    expect(connect(TEXT, { reference: "big", to: "output:live", input: "input" })).toBe(
      TEXT.replace("live: {input: stats,", "live: {input: big,"),
    );
    const open = disconnect(TEXT, edgeTo(TEXT, "named"));
    expect(open).toContain("named: {op: table_join, table: rates,");
    expect(connect(open, { reference: "split.up", to: "named", input: "input" })).toBe(TEXT);
    expect(disconnect(TEXT, edgeTo(TEXT, "both", 1))).toContain("inputs: [big]");
    expect(connect(TEXT, { reference: "trades", to: "both", input: "inputs" })).toContain(
      "inputs: [big, split.others, trades]",
    );
  });
});

describe("a step", () => {
  it("is put on an edge, and its reader reads it", () => {
    const { text, id } = addItem(TEXT, { kind: "step", op: "derive" }, { edge: edgeTo(TEXT, "output:live") });
    expect(id).toBe("derive");
    expect(wires(text)).toEqual(
      expect.arrayContaining(["stats > derive.input", "derive > output:live.input"]),
    );
    expect(text).toContain("to: result} # shown");
  });

  it("that branches has a default branch, so that its reader gets all rows", () => {
    const { text } = addItem(TEXT, { kind: "step", op: "branch" }, { edge: edgeTo(TEXT, "big") });
    expect(wires(text)).toEqual(expect.arrayContaining(["trades > branch.input", "branch.rest > big.input"]));
    expect(text).toContain("# from the source");
  });

  it("goes before the live result when it is added after what that reads", () => {
    const after = addItem(TEXT, { kind: "step", op: "filter" }, { after: ["stats"] });
    expect(wires(after.text)).toContain("filter > output:live.input");
    const aside = addItem(TEXT, { kind: "step", op: "filter" }, { after: ["big"] });
    expect(wires(aside.text)).toContain("stats > output:live.input");
    const alone = addItem(TEXT, { kind: "step", op: "join" }, { apart: true });
    expect(wires(alone.text).some((wire) => wire.includes("> join."))).toBe(false);
    expect(insertStep(TEXT, "join", ["trades", "big"], []).text).toContain("left: trades\n    right: big");
  });

  it("that is removed leaves its input to its readers, once each", () => {
    const text = removeNodes(TEXT, ["split"]);
    expect(wires(text)).toEqual(expect.arrayContaining(["big > named.input", "big > both.inputs"]));
    expect(wires(text).filter((wire) => wire.endsWith("both.inputs"))).toHaveLength(1);
    expect(text).toContain("# big ones");
  });

  it("is read by its first port", () => {
    expect(firstReference(outlineOf(TEXT), "split")).toBe("split.up");
    expect(firstReference(outlineOf(TEXT), "stats")).toBe("stats");
  });
});

describe("sources and outputs", () => {
  it("leave nothing behind that reads them", () => {
    const text = removeNodes(TEXT, ["rates", "output:late"]);
    expect(text).not.toContain("rates");
    expect(text).not.toContain("topic: late");
  });

  it("are added", () => {
    const source = addItem(TEXT, { kind: "source", of: "web-clicks", source: "stream" }, {});
    expect(source.id).toBe("web_clicks");
    const topic = addItem(TEXT, { kind: "output", op: "topic" }, { after: ["big"] });
    expect(topic.id).toBe("output:topic_1");
    expect(wires(topic.text)).toContain("big > output:topic_1.input");
    expect(addItem(TEXT, { kind: "output", op: "result" }, {}).id).toBeNull();
    const none = removeNodes(TEXT, ["output:live"]);
    expect(wires(addItem(none, { kind: "output", op: "result" }, { after: ["big"] }).text)).toContain(
      "big > output:live.input",
    );
  });
});

describe("copied steps", () => {
  it("are YAML with their comments, and get free names where they are pasted", () => {
    const copied = copyNodes(TEXT, ["trades", "big", "split"]);
    expect(copied).toContain("# big ones");
    expect(copied).not.toContain("named");
    const { text, ids } = pasteNodes(TEXT, copied);
    expect(ids).toEqual(["trades", "big_2", "split_2"]);
    expect(wires(text)).toEqual(expect.arrayContaining(["trades > big_2.input", "big_2 > split_2.input"]));
    expect(text.match(/# big ones/g)).toHaveLength(2);
  });

  it("come into another job, without what is not there", () => {
    const other = "format: 1\nname: other\nsources:\n  trades: {stream: elsewhere}\noutputs: {}\n";
    const { text } = pasteNodes(other, copyNodes(TEXT, ["trades", "both", "output:live"]));
    expect(outlineOf(text).sources.map(({ name, of }) => [name, of])).toEqual([
      ["trades", "elsewhere"],
      ["trades_2", "trades"],
    ]);
    expect(outlineOf(text).steps[0]?.params["inputs"]).toEqual([]);
    expect(outlineOf(text).outputs).toHaveLength(1);
    expect(outlineOf(pasteNodes(text, TEXT).text).outputs.filter(({ topic }) => topic === null)).toHaveLength(
      1,
    );
  });

  it("may be any YAML with steps, and nothing else", () => {
    expect(isPasteable("steps: {a: {op: filter, where: x}}")).toBe(true);
    expect(isPasteable("just words")).toBe(false);
    expect(isPasteable("steps: [1")).toBe(false);
    expect(isPasteable("steps: {}")).toBe(false);
    const anchored = "x: &w {op: filter, where: a}\nsteps: {one: *w}";
    expect(pasteNodes(TEXT, anchored).text).toContain("one:");
  });
});

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
      "stats, Aggregate; 1 error; reads named; 9 fields; Rows: Upsert; Key: symbol; Emits: On every update; " +
        "State: Bounded, ~2 KiB (one entry per window); Watermark: trades − 10 s",
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
