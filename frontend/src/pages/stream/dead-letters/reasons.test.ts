import { expect, it } from "vitest";
import { reasonWords } from "./reasons";

it("says reasons in words, and nothing about those it does not know", () => {
  expect(reasonWords("NOT_JSON")).toBe("not JSON");
  expect(reasonWords("SOMETHING_NEW")).toBe("");
});
