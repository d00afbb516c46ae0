import { describe, expect, it } from "vitest";
import type { Problem } from "../api/types";
import { addStep, EMPTY_DOCUMENT, readChain, removeStep, setHead, setParameter, setStream, type Chain } from "./chain";
import { locate, syntaxProblems } from "./document-text";

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

function chainOf(text: string): Chain {
  const reading = readChain(text);
  if ("unfit" in reading) throw new Error(reading.unfit);
  return reading.chain;
}

function found(path: string[], span: [number, number] | null = null): Problem {
  return { code: "FIELD_UNKNOWN", path, message: "", hint: "", severity: "error", span };
}

describe("places of problems", () => {
  const shown = (problem: Problem) => {
    const [place] = locate(STOCK, [problem]);
    return place ? STOCK.slice(place.from, place.to) : null;
  };

  it.each([
    ["a span in a plain text", found(["steps", "stats", "measures", "trades"], [9, 12]), "knd"],
    ["a span in a quoted text", found(["steps", "stats", "measures", "quoted"], [4, 7]), "ask"],
    ["a whole value", found(["steps", "stats", "window", "hopping", "size"]), "5s"],
    ["an item of a list", found(["steps", "stats", "by", "0"]), "symbol"],
    ["a step", found(["steps", "stats"]), "stats"],
    ["what is missing, at the nearest name", found(["steps", "stats", "grace"]), "stats"],
  ])("%s", (_title, problem, text) => {
    expect(shown(problem)).toBe(text);
  });

  it("finds broken YAML without a server", () => {
    const [first] = syntaxProblems("steps: {a: [1, 2}\n");
    expect(first?.problem.code).toBe("YAML");
    expect(syntaxProblems(STOCK)).toEqual([]);
  });
});

describe("form and text are two views of one document", () => {
  it("reads a chain", () => {
    expect(chainOf(STOCK)).toMatchObject({ name: "stock", source: { stream: "ticks" }, steps: [{ name: "stats", op: "aggregate", input: "ticks" }] });
  });

  it("keeps comments and all else when one value changes", () => {
    expect(setHead(STOCK, "name", "other")).toBe(STOCK.replace("name: stock ", "name: other "));
    expect(setParameter(STOCK, "stats", ["window", "hopping", "size"], "10s")).toBe(STOCK.replace("5s", "10s"));
  });

  it("builds a document from nothing", () => {
    let text = setStream(EMPTY_DOCUMENT, chainOf(EMPTY_DOCUMENT), "lines");
    text = addStep(text, chainOf(text), "split");
    text = addStep(text, chainOf(text), "aggregate");
    text = setParameter(text, "split", ["field"], "line");
    const chain = chainOf(text);
    expect(chain.steps.map(({ name, input }) => [name, input])).toEqual([["split", "lines"], ["aggregate", "split"]]);
    expect(text).toContain("\n  live: {input: aggregate, to: result}");
    expect(text).toContain("\n    op: split\n");
    text = removeStep(text, chain, "split");
    expect(chainOf(text).steps.map(({ input }) => input)).toEqual(["lines"]);
    text = removeStep(text, chainOf(text), "aggregate");
    expect(text).toContain("live: {input: lines, to: result}");
  });

  it("another stream takes the first step with it", () => {
    const text = setStream(STOCK, chainOf(STOCK), "trades");
    expect(chainOf(text)).toMatchObject({ source: { name: "trades", stream: "trades" }, steps: [{ input: "trades" }] });
  });

  it.each([
    ["two sources", "sources: {a: {stream: a}, b: {stream: b}}"],
    ["an operator that the form does not know", "sources: {a: {stream: a}}\nsteps: {j: {op: join, input: a}}"],
    ["a fork", "sources: {a: {stream: a}}\nsteps: {x: {op: filter, input: a}, y: {op: filter, input: a}}"],
    ["a step beside the chain", "sources: {a: {stream: a}}\nsteps: {x: {op: filter, input: z}}"],
    ["broken text", "sources: {a: [}"],
  ])("says why it cannot show %s", (_title, text) => {
    expect(readChain(text)).toHaveProperty("unfit");
  });
});
