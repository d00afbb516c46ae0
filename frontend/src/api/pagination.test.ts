import { expect, it } from "vitest";
import { rowsOf, whileOnePage } from "./pagination";

it("has the rows of all pages, and says how many pages those are", () => {
  expect(rowsOf({ pages: [{ results: [3, 2] }, { results: [1] }] })).toEqual({
    results: [3, 2, 1],
    pages: 2,
  });
});

it("asks again by itself for one page only", () => {
  const every = (pages: number) => whileOnePage(3_000)({ state: { data: { pages: Array(pages).fill(0) } } });
  expect([every(1), every(2)]).toEqual([3_000, false]);
  expect(whileOnePage(3_000)({ state: { data: undefined } })).toBe(3_000);
});
