import { expect, test } from "vitest";
import type { Preview, PreviewStep } from "../../api/types";
import { readOutline } from "../outline";
import { STEP } from "../preview/preview.test-data";
import { graphOf } from "./graph";
import { previewNodes } from "./preview-facts";

const TEXT = `format: 1
name: x
sources:
  ticks: {stream: ticks}
steps:
  big: {op: filter, input: ticks, where: size > 10}
  routed: {op: branch, input: big, branches: {a: size > 20, b: size > 30}}
outputs:
  live: {input: routed.a, to: result}
`;

function step(reference: string, more: Partial<PreviewStep> = {}): PreviewStep {
  const [node = ""] = reference.split(".");
  return { ...STEP, reference, node, filtered: null, ...more };
}

const STEPS = [
  step("ticks", { op: "source", inputs: [], rows_in: null }),
  step("big", { filtered: 6, rows: 4, nulls: 1 }),
  step("routed.a", { op: "branch", rows_in: 4, rows: 3 }),
  step("routed.b", { op: "branch", rows_in: 4, rows: 1 }),
];

function told(steps: readonly PreviewStep[], isStale = false) {
  const reading = readOutline(TEXT);
  if ("unsupported" in reading) throw new Error(reading.unsupported);
  const outputs = [{ name: "live", rows: 3, tombstones: 0, first: [], truncated: false }];
  const preview = { steps, outputs, sources: [] } as unknown as Preview;
  const found = previewNodes(graphOf(reading.outline), { preview, isStale });
  return (id: string) => found.get(id)?.facts;
}

test("each node has one line, whatever it lost", () => {
  const facts = told(STEPS);
  expect(facts("ticks")).toMatchObject([{ label: "Preview", text: "10 rows" }]);
  expect(facts("big")).toMatchObject([{ text: "10 in, 4 out", isWarning: true }]);
  expect(facts("big")?.[0]?.detail).toMatch(/6 filtered out; 1 row null by error/);
  expect(facts("routed")).toMatchObject([
    { text: "4 in, 4 out", detail: "routed.a: 3 rows; routed.b: 1 row" },
  ]);
  expect(facts("output:live")).toMatchObject([{ text: "3 rows" }]);
});

test("an empty step says why, and one that is not seen nothing else", () => {
  const why = "The condition was true for none of the rows.";
  expect(told([step("big", { rows: 0, empty: why })])("big")?.[0]?.detail).toContain(why);
  expect(told([step("big", { known: false })])("big")).toMatchObject([{ text: "Not seen" }]);
});

test("a preview of the text before is named so", () => {
  expect(told(STEPS, true)("big")).toMatchObject([{ label: "Last preview" }]);
});
