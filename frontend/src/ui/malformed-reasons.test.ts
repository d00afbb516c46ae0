import { expect, it } from "vitest";
import { reasonText } from "./malformed-reasons";

it("says reasons in words, and nothing about those it does not know", () => {
  expect(reasonText("NOT_JSON")).toBe("Not JSON");
  expect(reasonText("SOMETHING_NEW")).toBe("");
});
