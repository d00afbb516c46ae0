import { expect, it } from "vitest";
import { lastDay } from "./tokens";

it("a token says when it ends, or that it does not", () => {
  const now = Date.UTC(2026, 0, 1);
  expect(lastDay("90", now)).toEqual(new Date(Date.UTC(2026, 3, 1)));
  expect(lastDay("", now)).toBeNull();
});
