import { describe, expect, it } from "vitest";
import { graphOf } from "./graph";
import { outlineOf } from "./graph-edits";
import { commandOf } from "./keys";
import { neighbour } from "./navigation";
import { renamedNodes } from "./positions";
import { NOTHING, selectionOf, within } from "./selection";

const place = (id: string, x: number, y: number) => ({ id, x, y, width: 10, height: 10 });
const PLACES = [place("a", 0, 0), place("b", 100, 5), place("c", 100, 80), place("d", 200, 0)];

describe("arrows", () => {
  it("go to the nearest node that way", () => {
    expect(neighbour(PLACES, "a", "ArrowRight")).toBe("b");
    expect(neighbour(PLACES, "b", "ArrowDown")).toBe("c");
    expect(neighbour(PLACES, "d", "ArrowLeft")).toBe("b");
    expect(neighbour(PLACES, "a", "ArrowLeft")).toBeNull();
    expect(neighbour(PLACES, "gone", "ArrowUp")).toBe("a");
    expect(neighbour([], "a", "ArrowUp")).toBeNull();
  });
});

describe("keys", () => {
  it("of a drawing that shows only change nothing", () => {
    expect(commandOf("Delete", true)).toBe("delete");
    expect(commandOf("Delete", false)).toBeUndefined();
    expect(commandOf("F", false)).toBe("find");
    expect(commandOf("T", false)).toBe("tidy");
    expect(commandOf("constructor", true)).toBeUndefined();
  });
});

describe("a node that is renamed", () => {
  const graph = (steps: string) => graphOf(outlineOf(`sources: {s: {stream: s}}\nsteps: {${steps}}`));

  it("is known again, unless more than that has changed", () => {
    const before = graph("a: {op: filter, input: s}");
    expect([...renamedNodes(before, graph("b: {op: filter, input: s}"))]).toEqual([["a", "b"]]);
    expect(renamedNodes(before, graph("b: {op: derive, input: s}")).size).toBe(0);
    expect(renamedNodes(before, graph("b: {op: filter}, c: {op: filter}")).size).toBe(0);
  });

  it("or gone is no longer selected", () => {
    const now = graph("b: {op: filter, input: s}");
    expect(within(selectionOf("a", "s"), now).nodes).toEqual(new Set(["s"]));
    expect(within({ nodes: new Set(), edge: "gone" }, now).edge).toBeNull();
    expect(within(NOTHING, now)).toBe(NOTHING);
  });
});
