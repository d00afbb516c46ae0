import { describe, expect, it } from "vitest";
import type { Problem } from "../api/types";
import { locate, syntaxProblems } from "./document-text";
import { OPERATORS } from "./operators";
import {
  addSource,
  addStep,
  addTopicOutput,
  removeStep,
  renameStep,
  setDelay,
  setHead,
  setLate,
  setOutput,
  setParameter,
  setSetting,
  setSource,
} from "./document-edits";
import { EMPTY_DOCUMENT, nameProblem, readOutline, type Outline } from "./outline";

const STOCK = `format: 1
name: stock # shown in the list
sources:
  ticks: {stream: ticks}
steps:
  stats:
    op: aggregate
    input: ticks
    window: {hopping: {size: 5s, advance: 1s}}
    by: [symbol]
    measures:
      trades: count_if(knd = 'trade')
      quoted: "avg(ask)"
outputs:
  live: {input: stats, to: result}
`;

const CLICKS = `format: 1
name: clicks
sources:
  searches: {stream: searches}
  clicks: {stream: clicks}
  users: {table: users}
steps:
  named: {op: table_join, input: pairs, table: users, type: left, on: {user: id}}
  pairs: {op: join, left: searches, right: clicks, on: {id: search}, between: {before: 0s, after: 1s}}
outputs:
  live: {input: named, to: result}
  errors: {input: pairs, to: {topic: pairs}}
`;

function outlineOf(text: string): Outline {
  const reading = readOutline(text);
  if ("unsupported" in reading) throw new Error(reading.unsupported);
  return reading.outline;
}

function added(text: string, op: string): string {
  const operator = OPERATORS[op];
  if (!operator) throw new Error(op);
  return addStep(text, outlineOf(text), op, operator);
}

function found(path: string[], span: [number, number] | null = null): Problem {
  return { code: "FIELD_UNKNOWN", path, message: "", hint: "", severity: "error", span };
}

describe("places of problems", () => {
  const shown = (problem: Problem) => {
    const [range] = locate(STOCK, [problem]);
    return range ? STOCK.slice(range.from, range.to) : null;
  };

  it.each([
    ["a span in a plain text", found(["steps", "stats", "measures", "trades"], [9, 12]), "knd"],
    ["a span in a quoted text", found(["steps", "stats", "measures", "quoted"], [4, 7]), "ask"],
    ["a whole value", found(["steps", "stats", "window", "hopping", "size"]), "5s"],
    ["an item of a list", found(["steps", "stats", "by", "0"]), "symbol"],
    ["a step", found(["steps", "stats"]), "stats"],
    [
      "what the server can't read, in the text",
      found([], [STOCK.indexOf("symbol"), STOCK.indexOf("symbol") + 6]),
      "symbol",
    ],
    ["what is missing, at the nearest name", found(["steps", "stats", "grace"]), "stats"],
  ])("%s", (_title, problem, text) => {
    expect(shown(problem)).toBe(text);
  });

  it("finds broken YAML without a server", () => {
    const [first] = syntaxProblems("steps: {a: [1, 2}\n");
    expect(first?.problem.code).toBe("YAML");
    expect(syntaxProblems(STOCK)).toEqual([]);
    expect(readOutline("steps: *none")).toHaveProperty("unsupported");
  });
});

describe("form and text are two views of one document", () => {
  it("reads sources, steps in the order of their inputs, outputs", () => {
    const outline = outlineOf(CLICKS);
    expect(outline.sources).toEqual([
      { name: "searches", kind: "stream", of: "searches", delay: "" },
      { name: "clicks", kind: "stream", of: "clicks", delay: "" },
      { name: "users", kind: "table", of: "users", delay: "" },
    ]);
    expect(outline.steps.map(({ name }) => name)).toEqual(["pairs", "named"]);
    expect(outline.outputs).toEqual([
      { name: "live", input: "named", topic: null, format: "json", names: {} },
      { name: "errors", input: "pairs", topic: "pairs", format: "json", names: {} },
    ]);
  });

  it("shows steps that read each other in a circle, so that they can be edited", () => {
    const text = "sources: {a: {stream: a}}\nsteps: {x: {op: filter, input: y}, y: {op: filter, input: x}}";
    expect(outlineOf(text).steps).toHaveLength(2);
  });

  it("keeps comments and all else when one value changes", () => {
    expect(setHead(STOCK, "name", "other")).toBe(STOCK.replace("name: stock ", "name: other "));
    expect(setParameter(STOCK, "stats", ["window", "hopping", "size"], "10s")).toBe(
      STOCK.replace("5s", "10s"),
    );
  });

  it("builds a document from nothing", () => {
    let text = addSource(EMPTY_DOCUMENT, outlineOf(EMPTY_DOCUMENT), "stream", "lines");
    text = added(text, "split");
    text = added(text, "aggregate");
    text = setParameter(text, "split", ["field"], "line");
    const outline = outlineOf(text);
    expect(outline.steps.map(({ name, params }) => [name, params["input"]])).toEqual([
      ["split", "lines"],
      ["aggregate", "split"],
    ]);
    expect(text).toContain("\n  live: {input: aggregate, to: result}");
    expect(text).toContain("\n    op: split\n");
    text = removeStep(text, outline, "split");
    expect(outlineOf(text).steps.map(({ params }) => params["input"])).toEqual(["lines"]);
    text = removeStep(text, outlineOf(text), "aggregate");
    expect(text).toContain("live: {input: lines, to: result}");
  });

  it("a join reads what is live and another source", () => {
    let text = addSource(EMPTY_DOCUMENT, outlineOf(EMPTY_DOCUMENT), "stream", "searches");
    text = addSource(text, outlineOf(text), "stream", "clicks-2");
    text = added(text, "filter");
    text = added(text, "join");
    expect(outlineOf(text).steps.at(-1)?.params).toMatchObject({
      left: "filter",
      right: "clicks_2",
      type: "inner",
    });
    text = added(text, "union");
    expect(outlineOf(text).steps.at(-1)?.params["inputs"]).toEqual(["join", "clicks_2"]);
  });

  it("a removed step leaves its input to its readers, named outputs included", () => {
    const text = removeStep(CLICKS, outlineOf(CLICKS), "pairs");
    expect(outlineOf(text).steps.map(({ params }) => params["input"])).toEqual(["searches"]);
    expect(outlineOf(text).outputs[1]?.input).toBe("searches");
  });

  it("a renamed step keeps its position and its readers, its ports too", () => {
    const text = renameStep(CLICKS, outlineOf(CLICKS), "pairs", "matches");
    expect(text).toBe(
      CLICKS.replaceAll("input: pairs", "input: matches").replace("pairs: {op", "matches: {op"),
    );
    const late = setLate(STOCK, outlineOf(STOCK), "stats", true);
    expect(
      outlineOf(renameStep(late, outlineOf(late), "stats", "each")).outputs.map(({ input }) => input),
    ).toEqual(["each", "each.late"]);
    let union = addSource(CLICKS, outlineOf(CLICKS), "stream", "more");
    union = setParameter(added(union, "union"), "union", ["inputs"], ["pairs", "more"]);
    expect(
      outlineOf(renameStep(union, outlineOf(union), "pairs", "p")).steps.at(-1)?.params["inputs"],
    ).toEqual(["p", "more"]);
    expect(nameProblem(outlineOf(CLICKS), "users")).toBe("users already exists.");
    expect(nameProblem(outlineOf(CLICKS), "1st")).toContain("start with a letter");
    expect(nameProblem(outlineOf(CLICKS), "first")).toBeNull();
  });

  it("another stream or table keeps the source's name", () => {
    expect(setSource(STOCK, "ticks", "stream", "trades")).toContain("ticks: {stream: trades}");
    expect(setSource(STOCK, "ticks", "table", "rates")).toContain("ticks: {table: rates}");
  });

  it("writes to topics", () => {
    const text = addTopicOutput(STOCK, outlineOf(STOCK));
    expect(setOutput(text, "topic_1", { input: "stats", topic: "out", format: "json", names: {} })).toContain(
      "topic_1: {input: stats, to: {topic: out}}",
    );
    const avro = setOutput(text, "topic_1", { input: "stats", topic: "out", format: "avro", names: {} });
    expect(avro).toContain("topic_1: {input: stats, to: {topic: out, format: avro}}");
    expect(outlineOf(avro).outputs.at(-1)).toEqual({
      name: "topic_1",
      input: "stats",
      topic: "out",
      format: "avro",
      names: {},
    });
  });

  it("writes no input where an output has none, and takes away one that is emptied", () => {
    const live = { topic: null, format: "json", names: {} } as const;
    const without = "format: 1\nname: a\noutputs:\n  live: {to: result}\n";
    expect(setOutput(without, "live", { ...live, input: "" })).toBe(without);
    expect(setOutput(without.replace("to:", "input: b, to:"), "live", { ...live, input: "" })).toContain(
      'live: {input: "", to: result}',
    );
  });

  it("writes fields under other names, and keeps them when something else of the output changes", () => {
    const names = { symbol: ["@symbol"], trades: ["sums", "a.b"] };
    const text = setOutput(addTopicOutput(STOCK, outlineOf(STOCK)), "topic_1", {
      input: "stats",
      topic: "out",
      format: "json",
      names,
    });
    expect(text).toContain(
      'topic_1: {input: stats, to: {topic: out, names: {symbol: "@symbol", trades: [sums, a.b]}}}',
    );
    const [, row] = outlineOf(text).outputs;
    expect(row?.names).toEqual(names);
    expect(row && setOutput(text, "topic_1", { ...row, format: "avro" })).toContain(
      "format: avro, names: {symbol:",
    );
    expect(row && setOutput(text, "topic_1", { ...row, names: {} })).toContain(
      "topic_1: {input: stats, to: {topic: out}}",
    );
  });

  it("waits for a source as long as its stream says, or as the job does", () => {
    const text = setDelay(STOCK, "ticks", "30s");
    expect(text).toContain("ticks: {stream: ticks, delay: 30s}");
    expect(outlineOf(text).sources[0]?.delay).toBe("30s");
    expect(setDelay(text, "ticks", "")).toBe(STOCK);
  });

  it("keeps late rows with an output that reads them, and takes both away again", () => {
    const kept = setLate(STOCK, outlineOf(STOCK), "stats", true);
    expect(outlineOf(kept).steps[0]?.params["late"]).toBe("dead_letter");
    expect(outlineOf(kept).outputs.at(-1)).toEqual({
      name: "topic_1",
      input: "stats.late",
      topic: "",
      format: "json",
      names: {},
    });
    expect(setLate(kept, outlineOf(kept), "stats", true)).toBe(kept);
    expect(setLate(kept, outlineOf(kept), "stats", false)).toBe(STOCK);
    expect(outlineOf(removeStep(kept, outlineOf(kept), "stats")).outputs).toEqual([
      { name: "live", input: "ticks", topic: null, format: "json", names: {} },
    ]);
  });

  it("a setting with its default value is not written", () => {
    const text = setSetting(STOCK, "trigger", "5s");
    expect(outlineOf(text).settings).toEqual({ trigger: "5s" });
    expect(outlineOf(setSetting(text, "trigger", undefined)).settings).toEqual({});
  });

  it("says why it cannot show broken text", () => {
    expect(readOutline("sources: {a: [}")).toHaveProperty("unsupported");
  });
});
