import { describe, expect, it } from "vitest";
import { copyNodes, isPasteable, pasteNodes } from "./clipboard";
import { misfit } from "./fits";
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
import { linksOf } from "./targets";
import { drawn, TEXT } from "./trades.test-data";

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

  it("has a port for each branch, for late rows, and for what is read undeclared", () => {
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

describe("the layout", () => {
  it.each(["constructor", "toString", "valueOf", "hasOwnProperty", "__proto__"])(
    "has places for a source or step named %s, which every object has",
    (name) => {
      const size = { width: 100, height: 40 };
      for (const old of ["trades", "big"]) {
        const { graph } = drawn(TEXT.replace(new RegExp(`\\b${old}\\b`, "g"), name));
        const places = layOut(graph, () => size, "right");
        expect([...places.keys()]).toEqual(graph.nodes.map(({ id }) => id));
        expect(places.get(name)).toEqual(layOut(drawn(TEXT).graph, () => size, "right").get(old));
      }
    },
  );
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

  it("with two inputs also reads the only other node that suits and that no step reads", () => {
    const streams = `sources: {views: {stream: views}, buys: {stream: buys}}
steps: {}
outputs: {live: {input: views, to: result}}
`;
    const join = { kind: "step", op: "join" } as const;
    for (const after of ["views", "buys"])
      expect(wires(addItem(streams, join, { after: [after] }).text)).toEqual([
        ...["views > join.left", "buys > join.right", "join > output:live.input"],
      ]);
    const third = addItem(streams, { kind: "source", of: "third", source: "stream" }, {}).text;
    expect(wires(addItem(third, join, { after: ["views"] }).text)).toEqual([
      ...["views > join.left", "join > output:live.input"],
    ]);
  });

  it("that looks rows up takes the table as its table, whichever was chosen", () => {
    const text = `sources: {rates: {table: rates}, buys: {stream: buys}}
steps: {}
outputs: {live: {input: rates, to: result}}
`;
    for (const after of ["rates", "buys"])
      expect(wires(addItem(text, { kind: "step", op: "table_join" }, { after: [after] }).text)).toEqual([
        ...["buys > table_join.input", "rates > table_join.table", "table_join > output:live.input"],
      ]);
    expect(wires(addItem(text, { kind: "step", op: "join" }, { after: ["buys"] }).text)).toContain(
      "buys > join.left",
    );
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
    const anchored = pasteNodes(TEXT, "steps: {one: &w {op: filter, where: a}}").text;
    expect(anchored).toContain("one:");
    expect(anchored).not.toContain("&w");
    expect(isPasteable("x: &w {op: filter, where: a}\nsteps: {one: *w}")).toBe(false);
  });
});
