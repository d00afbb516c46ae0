import { expect, it } from "vitest";
import { pagesOf } from "./topics";

it("counts pages, of which even an empty list has one", () => {
  expect([0, 1, 100, 101].map(pagesOf)).toEqual([1, 1, 1, 2]);
});
