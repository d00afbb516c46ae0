import { describe, expect, it } from "vitest";
import { setOutput, setParameter } from "./document-edits";

const TEXT = `steps:
  totals:
    op: aggregate
    input: orders
    columns:
      # what customers see
      revenue: sum(amount) # in cents
      # all of them
      n: count()
      flag: true
      big: 9007199254740993
    group_by:
      - country # of the shop
      - day
    window:
      tumbling: 1m # one minute
outputs:
  copy:
    # read by the shop
    input: totals
    to:
      topic: totals # ours
      names:
        revenue: a # short
        n: b
`;
const comments = (text: string) => [...text.matchAll(/# .*/g)].map(([comment]) => comment);
const COLUMNS = { revenue: "sum(amount)", n: "count()", flag: true, big: "9007199254740993" };

describe("what the form changes leaves the comments of all else", () => {
  it("one expression of many", () => {
    const next = setParameter(TEXT, "totals", ["columns"], { ...COLUMNS, n: "count(id)" });
    expect(next).toBe(TEXT.replace("n: count()", "n: count(id)"));
  });

  it("the name of one", () => {
    const { revenue, ...others } = COLUMNS;
    const next = setParameter(TEXT, "totals", ["columns"], { sales: revenue, ...others });
    expect(next).toBe(TEXT.replace("      revenue: sum", "      sales: sum"));
  });

  it("one more, and one less", () => {
    expect(setParameter(TEXT, "totals", ["columns"], { ...COLUMNS, more: "" })).toBe(
      TEXT.replace("big: 9007199254740993\n", 'big: 9007199254740993\n      more: ""\n'),
    );
    const without = (gone: string) =>
      comments(
        setParameter(
          TEXT,
          "totals",
          ["columns"],
          Object.fromEntries(Object.entries(COLUMNS).filter(([name]) => name !== gone)),
        ),
      );
    expect(without("n")).toContain("# in cents");
    const left = without("revenue");
    expect(left).toContain("# all of them");
    expect(left).not.toContain("# what customers see");
  });

  it("an entry of a list", () => {
    const next = setParameter(TEXT, "totals", ["group_by"], ["country", "day", "shop"]);
    expect(next).toBe(TEXT.replace("      - day\n", "      - day\n      - shop\n"));
  });

  it("another kind of window leaves nothing of the one before", () => {
    const next = setParameter(TEXT, "totals", ["window"], { hopping: { size: "1m", advance: "5s" } });
    expect(next).not.toContain("tumbling");
    expect(comments(next)).toContain("# in cents");
    const empty = setParameter(TEXT, "totals", ["window"], { session: {} });
    expect(setParameter(empty, "totals", ["window"], { tumbling: "5m" })).not.toContain("session");
  });

  it("the topic of an output, and one of its names", () => {
    const row = {
      input: "totals",
      topic: "sums",
      format: "json" as const,
      names: { revenue: ["a"], n: ["b"] },
    };
    expect(setOutput(TEXT, "copy", row)).toBe(TEXT.replace("topic: totals", "topic: sums"));
    const named = { ...row, topic: "totals", names: { revenue: ["a"], n: ["x", "y"] } };
    expect(comments(setOutput(TEXT, "copy", named))).toEqual(comments(TEXT));
  });

  it("what an output says that the form doesn't know", () => {
    const text = "outputs: {live: {input: a, to: result, note: mine}}\n";
    const row = { input: "b", topic: null, format: "json" as const, names: {} };
    expect(setOutput(text, "live", row)).toBe("outputs: {live: {input: b, to: result, note: mine}}\n");
  });
});
