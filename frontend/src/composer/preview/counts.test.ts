import { expect, test } from "vitest";
import type { Preview, PreviewStep } from "../../api/types";
import { emptyText, flowText, lossesOf } from "./counts";

const STEP: PreviewStep = {
  reference: "kept",
  node: "kept",
  op: "filter",
  fields: [],
  key: [],
  known: true,
  rows_in: 10,
  filtered: 0,
  late: 0,
  keyless: 0,
  nulls: 0,
  nulls_by_expression: [],
  rows: 10,
  tombstones: 0,
  first: [],
  truncated: false,
};
const PREVIEW: Preview = {
  problem: null,
  engine: "shared-1",
  standby: false,
  runs: 0,
  elapsed_ms: 1,
  read_ms: 1,
  total_ms: 2,
  spans_ms: {},
  shortened: false,
  late: 0,
  uses_processing_time: [],
  watermark: null,
  sources: [],
  steps: [],
  outputs: [],
};

test("a step that loses nothing says nothing", () => {
  expect(lossesOf(STEP, PREVIEW)).toEqual([]);
});

test("every loss is named, the meant one as such", () => {
  const step = {
    ...STEP,
    filtered: 2,
    late: 1,
    keyless: 3,
    nulls: 4,
    nulls_by_expression: [{ expression: "ratio", rows: 4 }],
  };
  expect(lossesOf(step, PREVIEW).map(({ text, isMeant }) => [text, isMeant])).toEqual([
    ["2 filtered out", true],
    ["at least 1 row late", false],
    ["3 rows without a key", false],
    ["4 rows null by error in ratio", false],
  ]);
});

test("errors without an expression are counted all the same", () => {
  expect(lossesOf({ ...STEP, nulls: 4 }, PREVIEW).map(({ text }) => text)).toEqual(["4 rows null by error"]);
});

test("malformed records belong to their source", () => {
  const source = {
    name: "kept",
    given: 5,
    note: "",
    records: 5,
    malformed: [{ reason: "NOT_JSON", records: 2 }],
    left_out: [],
  };
  const preview = { ...PREVIEW, sources: [source] };
  expect(lossesOf(STEP, preview)).toEqual([]);
  expect(lossesOf({ ...STEP, op: "source" }, preview).map(({ text }) => text)).toEqual([
    "2 records malformed",
  ]);
});

test("rows in are left out where they are not known", () => {
  expect(flowText(STEP)).toBe("10 in, 10 rows out");
  expect(flowText({ ...STEP, rows_in: null, tombstones: 1 })).toBe("10 rows and 1 tombstone out");
  expect(flowText({ ...STEP, known: false })).toBe("read once, at the start");
});

test("no rows have a reason", () => {
  expect(emptyText({ ...STEP, rows_in: 0 }, PREVIEW)).toBe("No input rows.");
  expect(emptyText({ ...STEP, filtered: 10, rows: 0 }, PREVIEW)).toMatch("true for none");
  expect(emptyText({ ...STEP, op: "aggregate", filtered: null }, PREVIEW)).toMatch("watermark");
  const empty = {
    name: "kept",
    given: 0,
    note: "The topic is empty.",
    records: 0,
    malformed: [],
    left_out: [],
  };
  expect(emptyText({ ...STEP, op: "source" }, { ...PREVIEW, sources: [empty] })).toBe("The topic is empty.");
});
