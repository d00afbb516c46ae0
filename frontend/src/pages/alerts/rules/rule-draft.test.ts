import { describe, expect, it } from "vitest";
import type { AlertRuleDocument } from "../../../api/types";
import { documentOf, draftOf, isComplete, isReadable, NEW_DRAFT, numberProblem } from "./rule-draft";

const rows: AlertRuleDocument = {
  format: 1,
  watch: { kind: "rows", job: "j", where: "low < 5", by: ["symbol"], recovers_where: null, quiet: "15m" },
  hold: "1m",
  severity: "critical",
  channels: ["c"],
};
const metric: AlertRuleDocument = {
  format: 1,
  watch: {
    kind: "metric",
    metric: "job.lag_seconds",
    job: null,
    group: null,
    above: null,
    below: 0,
    recovers_at: 2.5,
  },
  hold: "0s",
  severity: "info",
  channels: [],
};

describe("a rule in the form", () => {
  const one = { ...rows, watch: { ...rows.watch, by: [] } } as AlertRuleDocument;
  const each = { ...rows, watch: { ...rows.watch, by: null } } as AlertRuleDocument;
  it.each([rows, one, each, metric])("is the same when it comes back", (document) => {
    expect(documentOf(draftOf(document))).toEqual(document);
  });
  it("is not checked before it says something", () => {
    expect(isComplete(NEW_DRAFT)).toBe(false);
    expect(isComplete({ ...NEW_DRAFT, job: "j", where: "n > 1" })).toBe(true);
    expect(isComplete({ ...NEW_DRAFT, kind: "metric", threshold: " " })).toBe(false);
    expect(isComplete({ ...NEW_DRAFT, kind: "metric", threshold: "x" })).toBe(false);
  });
  it("leaves nothing out that was typed and is no number", () => {
    const typed = { ...NEW_DRAFT, kind: "metric" as const, recoversAt: "5O" };
    expect(isComplete(typed)).toBe(false);
    expect(isReadable(typed)).toBe(false);
    expect(isReadable({ ...typed, recoversAt: "" })).toBe(true);
    expect(numberProblem("12,5")).toContain("Not a number");
  });
});
