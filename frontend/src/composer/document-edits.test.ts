import { describe, expect, it } from "vitest";
import { addSource, addStep, setSetting } from "./document-edits";
import type { Operator } from "./operator-fields";
import { OPERATORS } from "./operators";
import { readOutline, type Outline } from "./outline";

const FILTER = OPERATORS["filter"] as Operator;

function outlineOf(text: string): Outline {
  const reading = readOutline(text);
  if ("unsupported" in reading) throw new Error(reading.unsupported);
  return reading.outline;
}

describe("a section with nothing behind its name", () => {
  const TEXT = "name: a\nsources:\n  s: {stream: trades}\nsteps: # none yet\noutputs:\nsettings:\n";

  it("gets the step, source or setting that is added", () => {
    const stepped = addStep(TEXT, outlineOf(TEXT), "filter", FILTER);
    expect(outlineOf(stepped).steps.map(({ op }) => op)).toEqual(["filter"]);
    expect(stepped).toContain("# none yet");
    expect(outlineOf(stepped).outputs.map(({ name }) => name)).toEqual(["live"]);
    expect(setSetting(TEXT, "mode", "microbatch")).toContain("settings:\n  mode: microbatch\n");
    const bare = "name: a\nsources:\n";
    expect(outlineOf(addSource(bare, outlineOf(bare), "stream", "trades")).sources).toHaveLength(1);
  });
});

describe("a step that becomes the live result", () => {
  it("takes no name from a topic output", () => {
    const text =
      "name: a\nsources:\n  s: {stream: trades}\nsteps: {}\n" +
      "outputs:\n  live: {input: s, to: {topic: alerts, format: avro}}\n";
    const { outputs } = outlineOf(addStep(text, outlineOf(text), "filter", FILTER));
    expect(outputs.map(({ name, topic }) => [name, topic])).toEqual([
      ["live", "alerts"],
      ["result", null],
    ]);
  });
});
