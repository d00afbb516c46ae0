import { expect, it } from "vitest";
import { viewOfJob } from "./view";

it("editing opens in the view in which the job was made, and in YAML where it was made in none", () => {
  expect(viewOfJob({ edited_in: "drawing" })).toBe("drawing");
  expect(viewOfJob({ edited_in: "" })).toBe("text");
  expect(viewOfJob({ edited_in: "a view of tomorrow" })).toBe("text");
});
