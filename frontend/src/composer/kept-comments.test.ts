import { describe, expect, it } from "vitest";
import { setDelay, setHead, setOutput, setParameter, setSetting, setSource } from "./document-edits";
import { syntaxProblems } from "./document-text";

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

  it("a field that is emptied, and filled again", () => {
    const text = `description: sums # of all
settings:
  mode: auto # for now
sources:
  # main
  orders:
    delay: 3s # clocks differ
    stream: orders
steps:
  totals:
    op: aggregate
    # agreed with the shop
    grace: 5s # why five
    group_by: [country]
    emit: final # once
outputs: {live: {input: totals, to: result}}
`;
    const edits: ((value: string) => (now: string) => string)[] = [
      (value) => (now) => setParameter(now, "totals", ["grace"], value || undefined),
      (value) => (now) => setParameter(now, "totals", ["emit"], value || undefined),
      (value) => (now) => setDelay(now, "orders", value),
      (value) => (now) => setSetting(now, "mode", value || undefined),
      (value) => (now) => setHead(now, "description", value),
    ];
    const all = comments(text);
    let now = text;
    for (const edit of edits) now = edit("")(now);
    expect(comments(now).sort()).toEqual([...all].sort());
    for (const gone of ["5s", "final", "3s", "auto", "sums"]) expect(now).not.toContain(gone);
    for (const edit of edits) now = edit("7s")(now);
    expect(comments(now).sort()).toEqual([...all].sort());
    expect(syntaxProblems(now)).toEqual([]);
    expect(setParameter(setParameter(text, "totals", ["emit"], undefined), "totals", ["emit"], "final")).toBe(
      text.replace("    emit: final # once", "    # once\n    emit: final"),
    );
  });

  it("a source that reads a table instead of a stream", () => {
    const text = "sources:\n  orders:\n    stream: orders # ours\n    delay: 3s\n";
    expect(setSource(text, "orders", "table", "shops")).toBe(text.replace("stream: orders", "table: shops"));
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
