import { expect, it } from "vitest";
import { expectedOf } from "./impact";

it("a document whose comments alone differ can be saved, and keeps the state", () => {
  expect(expectedOf({ outcome: "no_change" })).toBe("same_state");
});

it("saving names the outcome that is shown", () => {
  expect(expectedOf({ outcome: "same_state" })).toBe("same_state");
  expect(expectedOf({ outcome: "new_generation" })).toBe("new_generation");
});

it("what is invalid, or not compared yet, can't be saved", () => {
  expect(expectedOf({ outcome: "invalid" })).toBeNull();
  expect(expectedOf(undefined)).toBeNull();
});
