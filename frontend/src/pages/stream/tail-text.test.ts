import { describe, expect, it } from "vitest";
import { TailStore, type Tail } from "../../live/tail-store";
import { omittedText, readRate } from "./tail-text";

const tail = (part: Partial<Tail>): Tail => ({ ...new TailStore().tail, following: true, ...part });

describe("what is said of a followed stream", () => {
  it("is nothing while everything is shown", () => {
    expect(omittedText(tail({}), false)).toEqual([]);
  });

  it("tells what was left out", () => {
    expect(omittedText(tail({ skipped: 1_200 }), false)).toEqual(["1,200 records not shown (rate limit)"]);
  });

  it("tells how many records a filter was evaluated for", () => {
    expect(omittedText(tail({ evaluated: 70, matched: 12, unevaluated: 40, skipped: 10 }), true)).toEqual([
      "12 matches in 70 records",
      "40 records not filtered (too fast)",
      "10 matches not shown (rate limit)",
    ]);
    expect(omittedText(tail({ evaluated: 1 }), true)).toEqual(["0 matches in 1 record"]);
  });

  it("takes only the rates that can be chosen", () => {
    expect(["5", "500", "", "7", "1e9"].map(readRate)).toEqual([5, 500, 50, 50, 50]);
  });
});
