import { describe, expect, it } from "vitest";
import { goesOnByItself } from "./tables";

type Pages = Parameters<typeof goesOnByItself>[0];

const ROW = { key: "[1]" } as Pages[number]["rows"][number];
const unfinished = { complete: false, rows: [], next: "scan:1" };
const deleted = { complete: true, rows: [], next: "after:[1]" };
const filled = { complete: true, rows: [ROW], next: "after:[2]" };

describe("a table's pages", () => {
  it.each<[string, Pages, boolean]>([
    ["nothing yet", [], false],
    ["a scan that isn't finished", [unfinished], true],
    ["a page of deleted rows", [deleted], true],
    ["a scan after pages of deleted rows", [deleted, deleted, unfinished], true],
    ["a page with rows", [deleted, filled], false],
    ["deleted rows after a page with rows", [filled, deleted], true],
    ["deleted rows at the end", [deleted, { ...deleted, next: null }], false],
    ["nineteen pages of deleted rows", Array.from({ length: 19 }, () => deleted), true],
    ["twenty pages of deleted rows", Array.from({ length: 20 }, () => deleted), false],
  ])("are read on by themselves after %s or not", (_, pages, expected) => {
    expect(goesOnByItself(pages)).toBe(expected);
  });
});
