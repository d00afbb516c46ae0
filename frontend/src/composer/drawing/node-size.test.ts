import { describe, expect, it } from "vitest";
import { sameSizes } from "./node-size";

describe("sizes of nodes", () => {
  const sizes = (heights: Readonly<Record<string, number>>) =>
    new Map(Object.entries(heights).map(([id, height]) => [id, { width: 240, height }]));

  it("are the same while no node grows, comes or goes: the layout is then, too", () => {
    const before = sizes({ a: 72, b: 92 });
    expect(sameSizes(before, sizes({ a: 72, b: 92 }))).toBe(true);
    expect(sameSizes(before, sizes({ a: 72, b: 112 }))).toBe(false);
    expect(sameSizes(before, sizes({ a: 72, c: 92 }))).toBe(false);
    expect(sameSizes(before, sizes({ a: 72 }))).toBe(false);
  });
});
