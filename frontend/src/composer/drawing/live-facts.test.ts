import { describe, expect, it } from "vitest";
import type { CheckedNode, RunCounts, StateForecast } from "../../api/types";
import { readOutline } from "../outline";
import { graphOf } from "./graph";
import { liveNodes, rateText, type RunNumbers } from "./live-facts";
import { totalRates } from "./live-totals";

const TEXT = `format: 1
name: x
sources:
  ticks: {stream: ticks}
  names: {table: names}
steps:
  big: {op: filter, input: ticks, where: size > 10}
  named: {op: table_join, input: big, table: names, on: {symbol: id}, broadcast: {}}
  stats: {op: aggregate, input: named, by: [symbol], measures: {n: count()}}
outputs:
  live: {input: stats, to: result}
`;
const COUNTS: RunCounts = {
  batches: 1,
  rows_in: 9,
  rows_out: 3,
  late: 1,
  expression_nulls: 0,
  sources: {
    ticks: { records: 1_200, malformed: 6, reasons: [] },
    names: { records: 40, malformed: 0, reasons: [] },
  },
  steps: { stats: { expression_nulls: 2, limit_reached: 0, late: 3, keyless: null } },
};
const RUN: NonNullable<RunNumbers> = {
  sources: { ticks: { records: 12, seconds: 0.1, partitions: [] } },
  counts: COUNTS,
  given: { ticks: 100, big: 40, named: 40, stats: 0 },
  steps: { stats: { state_rows: 90, state_bytes: 2048 } },
  watermark_us: null,
};

function told(run: RunNumbers) {
  const reading = readOutline(TEXT);
  if ("unsupported" in reading) throw new Error(reading.unsupported);
  const live = liveNodes(graphOf(reading.outline), reading.outline.steps, run);
  return (id: string) => {
    const node = live.get(id);
    return { flow: node?.flow, facts: Object.fromEntries((node?.facts ?? []).map((f) => [f.label, f.text])) };
  };
}

function factsOf(run: RunNumbers) {
  const reading = readOutline(TEXT);
  if ("unsupported" in reading) throw new Error(reading.unsupported);
  return liveNodes(graphOf(reading.outline), reading.outline.steps, run).get("ticks")?.facts ?? [];
}

describe("what a running job tells of its nodes", () => {
  it("is rates, lag and malformed records of a source", () => {
    expect(told(RUN)("ticks")).toEqual({
      flow: "flows",
      facts: { Out: "100 rows/s", Lag: "12 records, 0.1 s", Read: "1,200 records", Malformed: "6 (0.5%)" },
    });
  });

  it("is a lag in time of which a partition's is a lower bound, and warns of it", () => {
    const partition = { partition: 0, committed: 1, fetched: 1, end: 7, records: 6 };
    const lagOf = (...times: { seconds: number | null; lower_bound?: boolean }[]) => {
      const partitions = times.map((time) => ({ ...partition, ...time }));
      const sources = { ticks: { records: 12, seconds: null, partitions } };
      return factsOf({ ...RUN, sources }).find(({ label }) => label === "Lag");
    };
    expect(lagOf({ seconds: 7_200, lower_bound: true }, { seconds: 9 })).toEqual({
      label: "Lag",
      text: "12 records, at least 2 h",
      isWarning: true,
    });
    expect(lagOf({ seconds: 2, lower_bound: true }, { seconds: null })).toEqual({
      label: "Lag",
      text: "12 records, at least 2 s",
    });
    const exact = { ticks: { records: 12, seconds: 7_200, partitions: [] } };
    expect(factsOf({ ...RUN, sources: exact }).find(({ label }) => label === "Lag")?.text).toBe(
      "12 records, 2 h",
    );
    expect(lagOf({ seconds: null })).toEqual({ label: "Lag", text: "12 records" });
  });

  it("is the watermark of the source, or that of the run where no other moves it, and its delay", () => {
    const checked = (delays: Record<string, string>) => [
      { name: "stats", watermarks: [{ query: "update", delays, policy: "min" as const }] },
    ];
    const of = (delays: Record<string, string>, own?: number) => {
      const reading = readOutline(TEXT);
      if ("unsupported" in reading) throw new Error(reading.unsupported);
      const at = Date.parse("2026-01-01T10:00:00Z") * 1000;
      const ticks = { records: 12, seconds: 0.1, partitions: [], watermark_us: own ?? null };
      const sources = { ticks };
      const run = { ...RUN, sources, watermark_us: at, at_us: at + 5e6 };
      const nodes = checked(delays) as unknown as CheckedNode[];
      const live = liveNodes(graphOf(reading.outline), reading.outline.steps, run, [], nodes);
      return live.get("ticks")?.facts.filter(({ label }) => ["Watermark", "Delay"].includes(label));
    };
    expect(of({ ticks: "10s" })).toMatchObject([
      { text: expect.stringContaining("2026") as string, detail: "5 s behind the clock" },
      { text: "10 s" },
    ]);
    expect(of({ ticks: "10s", names: "1s" })?.[0]).toMatchObject({ text: "Unknown" });
    const own = Date.parse("2027-01-01T10:00:00Z") * 1000;
    expect(of({ ticks: "10s", names: "1s" }, own)?.[0]).toMatchObject({
      text: expect.stringContaining("2027") as string,
    });
    expect(of({ names: "1s" })).toEqual([]);
  });

  it("is what goes in and comes out of a step, without a table that is read once", () => {
    expect(told(RUN)("big").facts).toEqual({ In: "100 rows/s", Out: "40 rows/s" });
    expect(told(RUN)("named").facts).toEqual({ In: "40 rows/s", Out: "40 rows/s" });
    expect(told(RUN)("names").facts).toEqual({ Read: "40 records", Malformed: "0" });
  });

  it("is what a step keeps, drops and could not compute", () => {
    expect(told(RUN)("stats")).toEqual({
      flow: "stops",
      facts: {
        In: "40 rows/s",
        Out: "0 rows/s",
        State: "90 rows, 2 KiB",
        Late: "3 rows",
        Errors: "2 rows",
      },
    });
    expect(told(RUN)("output:live")).toEqual({ flow: "idle", facts: { In: "0 rows/s" } });
  });

  it("is the estimate of a step's state beside what it keeps", () => {
    const reading = readOutline(TEXT);
    if ("unsupported" in reading) throw new Error(reading.unsupported);
    const estimate: StateForecast = { step: "stats", rows: 120, bytes: 4096, bound: "bounded", why: "" };
    const live = liveNodes(graphOf(reading.outline), reading.outline.steps, RUN, [estimate]);
    const facts = live.get("stats")?.facts ?? [];
    expect(facts.find(({ label }) => label === "Estimate")?.text).toBe("120 rows, ~4 KiB");
    expect(live.get("big")?.facts.some(({ label }) => label === "Estimate")).toBe(false);
  });

  it("is unknown where the run says nothing, and never 0", () => {
    for (const run of [null, { sources: {}, counts: null, given: {}, steps: {}, watermark_us: null }]) {
      expect(told(run)("ticks")).toEqual({
        flow: "unknown",
        facts: { Out: "Unknown", Lag: "Unknown", Read: "Unknown", Malformed: "Unknown" },
      });
      expect(told(run)("stats")).toEqual({ flow: "unknown", facts: { In: "Unknown", Out: "Unknown" } });
    }
    expect(told({ ...RUN, given: { ticks: null, big: 1 } })("big").facts["In"]).toBe("Unknown");
    expect(rateText(RUN, "nothing")).toBe("");
    expect(rateText(RUN, "stats")).toBe("0 rows/s");
  });
});

describe("the totals over the drawing", () => {
  it("are the sums of what it shows, without what is read once", () => {
    expect(totalRates(TEXT, RUN, 7)).toEqual({ rowsIn: 100, rowsOut: 0 });
    const uncounted = { ticks: 100, big: 40, named: 40 };
    expect(totalRates(TEXT, { ...RUN, given: uncounted }, 7)).toEqual({ rowsIn: 100, rowsOut: 7 });
  });

  it("are unknown where a part of them is", () => {
    expect(totalRates(TEXT, { ...RUN, given: {} }, null)).toEqual({ rowsIn: null, rowsOut: null });
    expect(totalRates(TEXT, null, 7)).toEqual({ rowsIn: null, rowsOut: null });
  });
});
