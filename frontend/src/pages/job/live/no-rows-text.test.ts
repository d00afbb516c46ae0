import { describe, expect, test } from "vitest";
import type { RunCounts } from "../../../api/types";
import { noRowsText } from "./no-rows-text";

const job = (records: number | null) =>
  ({ lag: records === null ? null : { records } }) as Parameters<typeof noRowsText>[0];

function counts(some: Partial<RunCounts> = {}, malformed = 0): RunCounts {
  return {
    batches: 3,
    rows_in: 1_204,
    rows_out: 0,
    late: 0,
    expression_nulls: 0,
    sources: { trades: { records: 1_204, malformed, reasons: [] } },
    ...some,
  };
}

const DOCUMENT = {
  steps: {
    paid: { op: "filter", where: "status = 'PAID'" },
    pairs: { op: "join", left: "paid", right: "other", on: { id: "order_id" } },
    all: { op: "join", type: "full" },
    each: { op: "aggregate", window: { tumbling: { size: "1m" } }, measures: {} },
    closed: { op: "aggregate", window: { tumbling: { size: "1m" } }, emit: "final", measures: {} },
  },
};

describe("why there is no row", () => {
  test("before the first report the lag is unknown", () => {
    expect(noRowsText(job(null), null, null)).toContain("lag isn't known yet");
  });

  test("says how many records are left to read, and whether any are read", () => {
    expect(noRowsText(job(6_241), counts({ rows_in: 0 }), null)).toMatch(/^6,241 records to read/);
    expect(noRowsText(job(0), counts({ batches: 0 }), null)).toContain("Caught up");
  });

  test("blames nothing that did not happen", () => {
    const text = noRowsText(job(0), counts(), null);
    expect(text).toBe("1,204 records read, no row written. None was malformed or late.");
  });

  test("names what was lost, with its number", () => {
    const text = noRowsText(job(0), counts({ late: 7 }, 30), null);
    expect(text).toContain("30 records malformed, at least 7 rows late.");
    expect(text).not.toContain("None was");
  });

  test("names the steps that can hold rows back, and why", () => {
    const text = noRowsText(job(0), counts(), DOCUMENT);
    expect(text).toContain("paid (only rows where status = 'PAID')");
    expect(text).toContain("pairs (a row without a partner gives none");
    expect(text).toContain("closed (a window gives its row when the watermark has passed it)");
    expect(text).not.toContain("each (");
    expect(text).not.toContain("all (");
  });

  test("says what each source of a join gave", () => {
    const source = (records: number) => ({ records, malformed: 0, reasons: [] });
    const text = noRowsText(job(0), counts({ sources: { orders: source(900), paid: source(0) } }), null);
    expect(text).toContain("Read: orders 900 records, paid 0 records.");
  });
});
