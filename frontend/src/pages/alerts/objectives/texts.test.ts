import { expect, it } from "vitest";
import { percent } from "./texts";

it.each([
  [1, "100\u00a0%"],
  [0.9999, "99.99\u00a0%"],
  [0.999999, "99.99\u00a0%"],
  [0.000001, "0.01\u00a0%"],
  [0, "0\u00a0%"],
  [-0, "0\u00a0%"],
  [0.5, "50\u00a0%"],
  [-0.25, "-25\u00a0%"],
  [1.5, "150\u00a0%"],
])("a share of %d is %s", (share, text) => {
  expect(percent(share)).toBe(text);
});
