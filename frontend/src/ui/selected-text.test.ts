import { expect, it } from "vitest";
import { hasSelectedText } from "./selected-text";

const row = {} as Node;
const selection = (isCollapsed: boolean, within: Node) => ({
  isCollapsed,
  containsNode: (node: Node) => node === within,
});

it("knows the end of a selection from a click", () => {
  expect(hasSelectedText(row, selection(false, row))).toBe(true);
  expect(hasSelectedText(row, selection(true, row)), "only a caret").toBe(false);
  expect(hasSelectedText(row, selection(false, {} as Node)), "selected elsewhere on the page").toBe(false);
  expect(hasSelectedText(row, null)).toBe(false);
});
