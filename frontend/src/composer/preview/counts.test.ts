import { expect, test } from "vitest";
import { flowText, lossesOf } from "./counts";
import { PREVIEW, STEP } from "./preview.test-data";

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
    around: null,
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
  expect(flowText({ ...STEP, known: false })).toBe("not seen in a preview");
});

test("a step with several inputs says what came from each", () => {
  const inputs = [
    { reference: "orders", rows: 7 },
    { reference: "customers", rows: null },
  ];
  expect(flowText({ ...STEP, inputs })).toBe("7 in from orders, unknown in from customers, 10 rows out");
});

test("rows of a join without a match are named, and not as a fault", () => {
  expect(lossesOf({ ...STEP, op: "join", filtered: null, unmatched: 3 }, PREVIEW)).toEqual([
    { kind: "unmatched", text: "3 rows without a match", isMeant: true },
  ]);
});
