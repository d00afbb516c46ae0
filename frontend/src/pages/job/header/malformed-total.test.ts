import { describe, expect, it } from "vitest";
import type { RunCounts } from "../../../api/types";
import { malformedTotal } from "./malformed-total";

function counts(sources: Record<string, [records: number, malformed: number]>): RunCounts {
  return {
    batches: 1,
    rows_in: 0,
    rows_out: 0,
    late: 0,
    expression_nulls: 0,
    sources: Object.fromEntries(
      Object.entries(sources).map(([name, [records, malformed]]) => [
        name,
        { records, malformed, reasons: [] },
      ]),
    ),
  };
}

describe("the total of malformed records", () => {
  it("is of the sources that have some", () => {
    const found = counts({ orders: [167_125, 4_968], rates: [10, 0] });
    expect(malformedTotal(found, [])).toEqual({ records: 167_125, malformed: 4_968 });
  });

  it("is nothing where none is malformed or nothing is counted", () => {
    expect(malformedTotal(counts({ orders: [10, 0] }), [])).toBeNull();
    expect(malformedTotal(null, [])).toBeNull();
  });

  it("leaves out a source that has a panel of its own", () => {
    const shown = [{ source: "orders" }] as Parameters<typeof malformedTotal>[1];
    expect(malformedTotal(counts({ orders: [10, 9] }), shown)).toBeNull();
  });
});
