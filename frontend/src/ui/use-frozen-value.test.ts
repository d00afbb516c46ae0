import { expect, it } from "vitest";
import { startsClick } from "./use-frozen-value";

it("freezes nothing for what opens a context menu, whose release the page may never hear of", () => {
  expect(startsClick({ button: 0, ctrlKey: false })).toBe(true);
  expect(startsClick({ button: 2, ctrlKey: false })).toBe(false);
  expect(startsClick({ button: 0, ctrlKey: true }), "a right click of macOS").toBe(false);
});
