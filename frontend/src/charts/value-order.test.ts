import { expect, it } from "vitest";
import { compare, sortKey } from "./value-order";

it("infinities have their place among numbers, and NaN is above all", () => {
  const values = ["NaN", 5, "Infinity", null, "-Infinity", -3, "1.5"];
  const sorted = [...values].sort((a, b) => compare(sortKey(a), sortKey(b)));
  expect(sorted).toEqual([null, "-Infinity", -3, "1.5", 5, "Infinity", "NaN"]);
});
