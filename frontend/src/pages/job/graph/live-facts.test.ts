import { describe, expect, it } from "vitest";
import { liveFacts } from "./live-facts";

const LAG = {
  sources: { ticks: { records: 12, seconds: 0.1, partitions: [] } },
  counts: {
    batches: 1,
    rows_in: 9,
    rows_out: 3,
    late: 1,
    expression_nulls: 0,
    sources: { ticks: { records: 1_200, malformed: 4, reasons: [] } },
  },
};

describe("what a running job tells of its nodes", () => {
  it("is lag, records and malformed ones of a source", () => {
    expect(liveFacts(["ticks"], [], LAG).get("ticks")).toEqual([
      { label: "Lag", text: "12 records, 0.1 s" },
      { label: "Read", text: "1,200 records" },
      { label: "Malformed", text: "4", isWarning: true },
    ]);
  });

  it("is unknown where the API says nothing, and never 0", () => {
    const facts = liveFacts(["ticks", "other"], ["stats"], { ...LAG, counts: null });
    expect(facts.get("ticks")?.map(({ text }) => text)).toEqual(["12 records, 0.1 s", "Unknown", "Unknown"]);
    expect(facts.get("other")?.map(({ text }) => text)).toEqual(["Unknown", "Unknown", "Unknown"]);
    expect(facts.get("stats")).toEqual([{ label: "Rows/s", text: "Unknown" }]);
    expect(liveFacts(["ticks"], [], null).get("ticks")?.[0]?.text).toBe("Unknown");
  });
});
