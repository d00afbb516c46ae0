import { describe, expect, it } from "vitest";
import { mergeDocument, type PlainDocument } from "./document-merge";
import { parseText } from "./document-text";
import { EMPTY_DOCUMENT } from "./outline";

const TRADES = `# The desk's numbers
format: 1
name: trades # shown in the list
sources:
  # all venues
  trades: {stream: trades}
steps:
  # big ones only
  large:
    op: filter
    input: trades
    where: price > 100 # EUR
  stats:
    op: aggregate
    input: large
    window: {hopping: {size: 60s, advance: 10s}}
    by: [symbol, venue]
    measures:
      # how many
      n: count()
      mean: "avg(price)" # of all
      newest: max(at)
outputs:
  live: {input: stats, to: result} # the page
  alerts: {input: large, to: {topic: alerts}}
settings: {mode: auto}
`;

interface Shape {
  sources: Record<string, Record<string, unknown>>;
  steps: Record<string, Record<string, unknown>>;
  outputs: Record<string, Record<string, unknown>>;
  settings?: Record<string, unknown>;
}

function plain(text: string): PlainDocument & Shape {
  return parseText(text).toJS() as PlainDocument & Shape;
}

/** The text after a change of its document; always says the changed document. */
function after(change: (document: Shape) => void, base: PlainDocument | null = plain(TRADES)): string {
  const next = plain(TRADES);
  change(next);
  const text = mergeDocument(TRADES, next, base);
  expect(plain(text)).toEqual(next);
  return text;
}

/** A step with its parameters in another order. */
function step(document: Shape, name: string): Record<string, unknown> {
  const found = document.steps[name];
  if (!found) throw new Error(name);
  return found;
}

describe("a document is written into a text", () => {
  it("that says it already, and stays", () => {
    expect(mergeDocument(TRADES, plain(TRADES))).toBe(TRADES);
    const { steps, ...rest } = plain(TRADES);
    expect(mergeDocument(TRADES, { steps, ...rest })).toBe(TRADES);
    const sorted = Object.fromEntries(Object.entries(steps["stats"] ?? {}).reverse());
    expect(mergeDocument(TRADES, { ...rest, steps: { ...steps, stats: sorted } })).toBe(TRADES);
    expect(mergeDocument("not: [closed", {}, {})).toBe("not: [closed");
  });

  it.each<[string, (document: Shape) => void, string, string]>([
    [
      "a value, beside its comment",
      (d) => (step(d, "large")["where"] = "price > 5"),
      "price > 100 #",
      "price > 5 #",
    ],
    ["an item", (d) => (step(d, "stats")["by"] = ["symbol", "day"]), "[symbol, venue]", "[symbol, day]"],
    ["a value in quotes", (d) => (measures(d)["mean"] = "avg(bid)"), '"avg(price)"', '"avg(bid)"'],
    [
      "a target",
      (d) => (d.outputs["alerts"] = { input: "large", to: "result" }),
      "{topic: alerts}",
      "result",
    ],
    ["a removed measure", (d) => delete measures(d)["newest"], "      newest: max(at)\n", ""],
    [
      "a removed output",
      (d) => delete d.outputs["alerts"],
      "  alerts: {input: large, to: {topic: alerts}}\n",
      "",
    ],
    [
      "a window",
      (d) => (step(d, "stats")["window"] = { tumbling: { size: "1m" } }),
      "{hopping: {size: 60s, advance: 10s}}",
      "{tumbling: {size: 1m}}",
    ],
    ["removed settings", (d) => delete d.settings, "settings: {mode: auto}\n", ""],
    ["a table", (d) => (d.sources["trades"] = { table: "trades" }), "{stream: trades}", "{table: trades}"],
  ])("%s", (_title, change, from, to) => {
    expect(after(change)).toBe(TRADES.replace(from, to));
    expect(after(change, null)).toBe(TRADES.replace(from, to));
  });

  it("a removed parameter leaves the comments that another view has moved to it", () => {
    const base = { ...plain(TRADES), sources: { trades: { stream: "trades", delay: "5s" } } };
    const text = TRADES.replace(
      "{stream: trades}",
      "{\n      stream: trades,\n      # beside\n      delay: 5s\n    }",
    );
    const merged = mergeDocument(text, plain(TRADES), base);
    expect(plain(merged)).toEqual(plain(TRADES));
    expect(merged).toContain("# beside");
  });

  it("a new step comes last and a line for each parameter, short ones in braces", () => {
    const text = after((document) => {
      document.steps["mean"] = {
        op: "aggregate",
        input: "stats",
        window: { tumbling: { size: "1h" } },
        by: ["symbol"],
        measures: { m: "avg(mean)", null: "count()" },
      };
      document.outputs["means"] = { input: "mean", to: { topic: "means", format: "avro" } };
    });
    const added = `  mean:
    op: aggregate
    input: stats
    window: {tumbling: {size: 1h}}
    by: [symbol]
    measures:
      m: avg(mean)
      "null": count()
`;
    const output = "  means: {input: mean, to: {topic: means, format: avro}}\n";
    expect(text).toBe(
      TRADES.replace("outputs:\n", `${added}outputs:\n`).replace("settings:", `${output}settings:`),
    );
  });

  it("a removed step takes no comment of others along", () => {
    const text = after((document) => {
      delete document.steps["large"];
      step(document, "stats")["input"] = "trades";
      delete document.outputs["alerts"];
    });
    expect(text).toContain("\n  stats:\n    op: aggregate\n    input: trades\n");
    expect(text).toContain("# how many\n");
    expect(text).not.toContain("EUR");
  });

  it("a renamed step keeps its comments and its place", () => {
    const text = after((document) => {
      document.steps = { big: step(document, "large"), stats: { ...step(document, "stats"), input: "big" } };
      document.outputs["alerts"] = { input: "big", to: { topic: "alerts" } };
    });
    expect(text).toBe(TRADES.replace("  large:\n", "  big:\n").replaceAll("input: large", "input: big"));
  });

  it("another order of measures moves them with their comments", () => {
    const text = after((document) => {
      const { n, mean, newest } = measures(document);
      step(document, "stats")["measures"] = { newest, mean, n };
    });
    expect(Object.keys(measures(plain(text)))).toEqual(["newest", "mean", "n"]);
    expect(text).toContain('mean: "avg(price)" # of all\n');
    expect(text).toContain("# how many\n      n: count()\n");
  });

  it("what the base has in common with it keeps its words", () => {
    const base = plain(TRADES);
    const spelt = { hopping: { advance: "10s", size: "1m" } };
    const { stats } = base.steps;
    const common = { ...base, steps: { ...base.steps, stats: { ...stats, window: spelt } } };
    const next = {
      ...common,
      steps: { ...common.steps, large: { ...base.steps["large"], where: "price > 7" } },
    };
    expect(mergeDocument(TRADES, common, common)).toBe(TRADES);
    expect(mergeDocument(TRADES, next, common)).toBe(TRADES.replace("price > 100", "price > 7"));
    expect(mergeDocument(TRADES, next)).toContain("size: 1m");
  });

  it("what the base doesn't know stays, unless its step becomes another", () => {
    const text = TRADES.replace("input: large\n    window", "input: large\n    emit: update\n    window");
    const next = { ...plain(TRADES), name: "other" };
    expect(mergeDocument(`${text}owner: ann\n`, next, plain(TRADES))).toBe(
      `${text.replace("name: trades", "name: other")}owner: ann\n`,
    );
    const filter = { op: "filter", input: "large", where: "price > 1" };
    const other = mergeDocument(text, { ...next, steps: { ...next.steps, stats: filter } }, plain(TRADES));
    expect(plain(other).steps["stats"]).toEqual(filter);
  });

  it("a step that another view added since the base stays, and one that the base had goes", () => {
    const base = plain(TRADES);
    const elsewhere = TRADES.replace(
      "outputs:",
      "  late: {op: filter, input: trades, where: price < 1}\noutputs:",
    );
    const next = plain(TRADES);
    step(next, "large")["where"] = "price > 200";
    delete next.outputs["alerts"];
    const merged = plain(mergeDocument(elsewhere, next, base));
    expect(Object.keys(merged.steps)).toEqual(["large", "stats", "late"]);
    expect(step(merged, "large")["where"]).toBe("price > 200");
    expect(Object.keys(merged.outputs)).toEqual(["live"]);
  });

  it("builds a document from an empty one, and from nothing", () => {
    const document = {
      format: 1,
      name: "counts",
      sources: { trades: { stream: "trades" } },
      steps: { grouped: { op: "aggregate", input: "trades", by: ["symbol"], measures: { n: "count()" } } },
      outputs: { result: { input: "grouped", to: "result" } },
      settings: { mode: "auto", engine: "shared" },
    };
    expect(mergeDocument(EMPTY_DOCUMENT, document)).toBe(`format: 1
name: counts
sources:
  trades: {stream: trades}
steps:
  grouped:
    op: aggregate
    input: trades
    by: [symbol]
    measures:
      n: count()
outputs:
  result: {input: grouped, to: result}
settings: {mode: auto, engine: shared}
`);
    expect(plain(mergeDocument("", document))).toEqual(document);
  });

  it("an expression over several lines stays so while it says the same", () => {
    const folded = TRADES.replace("price > 100 # EUR", ">\n      price > 100\n      and venue = 'X'\n");
    const next = plain(folded);
    const stripped = { ...step(next, "large"), where: "price > 100 and venue = 'X'" };
    expect(mergeDocument(folded, { ...next, steps: { ...next.steps, large: stripped } })).toBe(folded);
  });
});

function measures(document: Shape): Record<string, unknown> {
  return step(document, "stats")["measures"] as Record<string, unknown>;
}
