import { describe, expect, it } from "vitest";
import { rowKeys } from "./row-keys";

const keysOf = (rows: ReturnType<typeof rowKeys>) => rows.map(({ key }) => key);

describe("keys of rows", () => {
  const first = rowKeys([], ["a", "b", "c"]);

  it("a renamed row keeps its key, also in another place", () => {
    expect(new Set(keysOf(first)).size).toBe(3);
    expect(keysOf(rowKeys(first, ["a", "d", "c"]))).toEqual(keysOf(first));
    expect(keysOf(rowKeys(first, ["d", "a", "c"]))).toEqual([first[1]?.key, first[0]?.key, first[2]?.key]);
  });

  it("rows that come and go get none of others", () => {
    const fewer = rowKeys(first, ["a", "c"]);
    expect(keysOf(fewer)).toEqual([first[0]?.key, first[2]?.key]);
    const more = rowKeys(fewer, ["a", "x", "c", "y"]);
    expect(new Set([...keysOf(more), first[1]?.key]).size).toBe(5);
  });
});
