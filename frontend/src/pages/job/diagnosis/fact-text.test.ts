import { expect, test } from "vitest";
import { factText } from "./fact-text";
import { placeText } from "./place-text";

test.each([
  ["count", 1234, "1,234"],
  ["share", 0.5, "50%"],
  ["share", 0, "0%"],
  ["seconds", 90, "1 min 30 s"],
  ["text", "status = 'PAID'", "status = 'PAID'"],
  ["text", "", "–"],
] as const)("a fact of kind %s has its unit", (kind, value, expected) => {
  expect(factText({ label: "x", kind, value })).toBe(expected);
});

test("a place has its kind and name", () => {
  expect(placeText({ kind: "step", name: "big" })).toBe("Step big");
  expect(placeText({ kind: "output", name: "" })).toBe("Output");
});
