import { describe, expect, it } from "vitest";
import { addSource, addStep, setDelay, setHead, setOutput, setParameter, setSource } from "./document-edits";
import { mergeDocument, saySame } from "./document-merge";
import { edited, exactOf, locate, plainOf, syntaxProblems } from "./document-text";
import { connect } from "./drawing/graph-edits";
import { randomFrom } from "./drawing/random-edits.test-data";
import type { Operator } from "./operator-fields";
import { OPERATORS } from "./operators";
import { readOutline, type Outline } from "./outline";

const PROBLEM = { code: "X", message: "", hint: "", severity: "error" as const, span: [0, 1] };

function outlineOf(text: string): Outline {
  const reading = readOutline(text);
  if ("unsupported" in reading) throw new Error(reading.unsupported);
  return reading.outline;
}

describe("a text that the server refuses", () => {
  it.each([
    ["steps: &a {x: *a}"],
    ["a: &a {b: &b {c: *a, d: *b}}"],
    ["a: &a [x, x]\nsteps: {c: *a}"],
    ["a: &a x\n*a : b"],
    ["a: *none"],
    ["? [a]\n: b"],
    ["a: {b"],
    ["a: 1\n---\nb: 2"],
    [`a: ${"[".repeat(40)}${"]".repeat(40)}`],
    [`a: ${"[".repeat(3000)}${"]".repeat(3000)}`],
  ])("has no values, and stays as it is: %.40s", (text) => {
    expect([plainOf(text), exactOf(text)]).toEqual([undefined, undefined]);
    expect(readOutline(text)).toEqual({ unsupported: "Fix the error in the YAML view." });
    expect(setHead(text, "name", "b")).toBe(text);
  });

  it("is written anew where it is given values", () => {
    const next = { format: 1, steps: { a: { op: "filter" } } };
    for (const text of ["steps: &a {x: *a}", "a: {b", "- a", "text", "null", ""])
      expect(plainOf(mergeDocument(text, next, { format: 1 }))).toEqual(next);
  });
});

describe("two texts", () => {
  it("say the same if both can be read", () => {
    expect(saySame("{a: 1}", "a: 1 # one")).toBe(true);
    expect(saySame("a: {b", "a: {c")).toBe(false);
    expect(saySame("a: {b", "a: {b")).toBe(true);
  });
});

describe("a text of any kind", () => {
  const PARTS = [
    ...["a", "steps", "sources", "outputs", "&a ", "*a", "*a ", "!!set ", "!!omap ", "!foo ", "<<", "? "],
    ...[": ", ":\n", "- ", "\n", "\n  ", "\n    ", "\t", "---\n", "...\n", "%YAML 1.1\n---\n", "{", "}", "["],
    ...["]", ", ", "# c\n", "'", '"', "\\x", "| \n", ">-\n", "~", "true", "1.5e3", "99999999999999999999"],
    ...["!!binary ", "!!timestamp 2001-01-01", "@", "\u0000", "\uFEFF", "[".repeat(40), "__proto__"],
  ];

  it("never throws", () => {
    const random = randomFrom(7);
    const problems = [[], ["a"], ["steps", "a", "op"], ["steps", "0"], ["<<", "a"]].map((path) => ({
      ...PROBLEM,
      path,
    }));
    for (let n = 0; n < 200; n += 1) {
      const length = 1 + Math.floor(random() * 14);
      const text = Array.from({ length }, () => PARTS[Math.floor(random() * PARTS.length)]).join("");
      expect(() => {
        readOutline(text);
        exactOf(text);
        syntaxProblems(text);
        locate(text, problems);
        edited(text, () => undefined);
      }, text).not.toThrow();
    }
  });

  it("says the same whatever version of YAML it names", () => {
    const text = "a: false\nb: yes\nc: {<<: {d: 1}}\n";
    expect(plainOf(`%YAML 1.1\n---\n${text}`)).toEqual(plainOf(text));
  });
});

describe("what is no mapping", () => {
  it.each([
    ["- a", "The job must be a mapping from names to values."],
    ["3", "The job must be a mapping from names to values."],
    ["steps: []", "steps must be a mapping from names to steps."],
    ["sources: orders", "sources must be a mapping from names to sources."],
    ["outputs: [a]", "outputs must be a mapping from names to outputs."],
    ["settings: fast", "settings must be a mapping from names to values."],
    ["steps: {a: 3}", "Step a must be a mapping from names to values."],
    ["sources: {s: trades}", "Source s must be a mapping from names to values."],
    ["outputs: {o: []}", "Output o must be a mapping from names to values."],
  ])("is said: %s", (text, why) => {
    expect(readOutline(text)).toEqual({ unsupported: `${why} Correct it in the YAML view.` });
  });
});

describe("a name with nothing behind it", () => {
  const TEXT = "sources:\n  s: # the desk\nsteps:\n  a:\n  b: ~\noutputs:\n  o:\n";

  it("gets what is set in it, and keeps its comment", () => {
    expect(outlineOf(TEXT).steps.map(({ name }) => name)).toEqual(["a", "b"]);
    expect(setParameter(TEXT, "a", ["where"], "x > 1")).toBe(
      TEXT.replace("  a:\n", "  a:\n    where: x > 1\n"),
    );
    const named = setSource(TEXT, "s", "stream", "trades");
    expect(named).toContain("# the desk");
    expect(outlineOf(named).sources).toEqual([{ name: "s", kind: "stream", of: "trades", delay: "" }]);
    expect(outlineOf(setDelay(TEXT, "s", "5s")).sources[0]?.delay).toBe("5s");
    const output = { input: "a", topic: null, format: "json", names: {} } as const;
    expect(outlineOf(setOutput(TEXT, "o", output)).outputs).toEqual([{ name: "o", ...output }]);
    const wired = connect(TEXT, { reference: "s", to: "a", input: "input" });
    expect(outlineOf(wired).steps[0]?.params).toEqual({ input: "s" });
  });

  it("gets a parameter's member, also where a text is", () => {
    const text = "steps:\n  a: {op: aggregate, window: 5m}\n";
    expect(plainOf(setParameter(text, "a", ["window", "size"], "1m"))).toEqual({
      steps: { a: { op: "aggregate", window: { size: "1m" } } },
    });
  });

  it("is the root", () => {
    for (const text of ["null", "~", "# c\n", ""]) {
      expect(plainOf(setHead(text, "name", "a"))).toEqual({ name: "a" });
      const added = addSource(text, outlineOf(text), "stream", "trades");
      const stepped = addStep(added, outlineOf(added), "filter", OPERATORS["filter"] as Operator);
      expect(outlineOf(stepped).steps).toHaveLength(1);
    }
  });
});
