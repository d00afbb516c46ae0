import { describe, expect, it } from "vitest";
import { graphOf } from "../composer/drawing/graph";
import { liveNodes } from "../composer/drawing/live-facts";
import { movesOfRenames } from "../composer/drawing/positions";
import { loadOf, rateBasis, UNMEASURED } from "../composer/forecast-text";
import { mergeDocument } from "../composer/document-merge";
import { readOutline } from "../composer/outline";
import { requested } from "../composer/preview/choices";
import { workedExamples } from "../composer/worked-examples";
import { capturedTest } from "../pages/job/tests/captured-test";

/** Names that every object of JavaScript has without being given them, and that documents may use. */
const NAMES = ["constructor", "toString", "hasOwnProperty"];

function outlineOf(text: string) {
  const reading = readOutline(text);
  if ("unsupported" in reading) throw new Error(reading.unsupported);
  return reading.outline;
}

describe.each(NAMES)("what is named %s", (name) => {
  it("is drawn as an operator that is not known", () => {
    const text = `sources:\n  s: {stream: s}\nsteps:\n  a: {op: ${name}, input: s}\n`;
    const step = graphOf(outlineOf(text)).nodes.find(({ id }) => id === "a");
    expect(step?.inputs.map((port) => port.name)).toEqual(["input"]);
    expect(workedExamples(name)).toEqual([]);
  });

  it("goes from the text when it was removed", () => {
    const text = `steps:\n  ${name}: {op: filter, input: s}\n  b: {op: filter, input: s}\n`;
    const merged = mergeDocument(text, { steps: { b: { op: "filter", input: "s" } } });
    expect(outlineOf(merged).steps.map((step) => step.name)).toEqual(["b"]);
  });

  it("has unknown numbers until some are measured", () => {
    const { sources, steps, ...rest } = outlineOf(`sources:\n  ${name}: {stream: s}\n`);
    const run = { sources: {}, counts: null, given: {}, steps: {}, watermark_us: null };
    const found = liveNodes(graphOf({ sources, steps, ...rest }), steps, run).get(name);
    expect(found?.flow).toBe("unknown");
    expect(found?.facts.map(({ text }) => text)).toEqual(["Unknown", "Unknown", "Unknown", "Unknown"]);
    expect(rateBasis(UNMEASURED, name)).toBe("Assumed");
    expect(loadOf({ rates: {}, key_counts: {} }, UNMEASURED, [name], [name])).toEqual({
      rates: { [name]: 100 },
      key_counts: {},
    });
  });

  it("has no position until it was moved, and its newest records in a preview", () => {
    const moves = movesOfRenames({ right: {}, down: {} }, new Map([[name, "next"]]));
    expect(moves).toEqual({ right: {}, down: {} });
    expect(requested([name], {})[name]).toMatchObject({ kind: "newest", records: 200 });
  });

  it("is a source whose records can be captured", () => {
    const record = {
      partition: 0,
      offset: 0,
      timestamp: "2026-01-01T00:00:00Z",
      key: null,
      key_is_text: true,
      value: "{}",
    };
    const rest = { value_is_text: true, truncated: false, headers: [], malformed: null };
    const found = { [name]: [{ ...record, ...rest }] };
    expect(capturedTest("live", found, 1_000)?.text).toContain(`${name}:`);
  });
});
