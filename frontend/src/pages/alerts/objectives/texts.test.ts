import { expect, it } from "vitest";
import { percent } from "./texts";

it.each([
  [1, "100%"],
  [0.9999, "99.99%"],
  [0.999999, "99.99%"],
  [0.000001, "0.01%"],
  [0, "0%"],
  [-0, "0%"],
  [0.5, "50%"],
  [-0.25, "-25%"],
  [1.5, "150%"],
])("a share of %d is %s", (share, text) => {
  expect(percent(share)).toBe(text);
});
