import { expect, test } from "vitest";
import { budgetHistory } from "./budget-history";

const part = (minute: number, good_s: number, judged_s: number) => ({
  at: new Date(minute * 60_000).toISOString(),
  good_s,
  judged_s,
});

test("what is left falls by what was bad, and burn is the pace of each part", () => {
  const { times, left, burn } = budgetHistory({
    target: 0.9,
    history: [part(0, 300, 300), part(5, 270, 300), part(10, 0, 0), part(15, 241, 300)],
  });
  expect(times).toEqual([0, 300, 900]);
  expect(left.map((share) => Number(share.toFixed(3)))).toEqual([1, 0.667, 0.011]);
  expect(burn.map((rate) => Number(rate.toFixed(3)))).toEqual([0, 1, 1.967]);
});

test("nothing judged is no history", () => {
  expect(budgetHistory({ target: 0.9, history: [part(0, 0, 0)] }).times).toEqual([]);
});
