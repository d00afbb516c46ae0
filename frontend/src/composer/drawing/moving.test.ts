import { describe, expect, it } from "vitest";
import { graphOf } from "./graph";
import { outlineOf } from "./graph-edits";
import { commandOf } from "./keys";
import { neighbour } from "./navigation";
import { handOver, readPositions, renamedNodes, writePositions } from "./positions";
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
    expect(commandOf("constructor", true)).toBeUndefined();
  });
});

/** A store in memory. */
function memory(): Storage {
  const values = new Map<string, string>();
  return {
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => void values.set(key, value),
    removeItem: (key) => void values.delete(key),
    clear: () => {
      values.clear();
    },
    key: (at) => [...values.keys()][at] ?? null,
    get length() {
      return values.size;
    },
  };
}

describe("positions", () => {
  it("are kept by job and direction, and go with the draft into its job", () => {
    const store = memory();
    writePositions(store, "draft", "right", { a: { x: 1, y: 2 } });
    expect(readPositions(store, "draft", "down")).toEqual({});
    handOver(store, "draft", "job");
    expect(readPositions(store, "job", "right")).toEqual({ a: { x: 1, y: 2 } });
    expect(store.length).toBe(1);
    writePositions(store, "job", "right", {});
    expect(store.length).toBe(0);
  });

  it("that can't be read count as none", () => {
    const store = memory();
    store.setItem("weir.drawing.job.right", "{not json");
    expect(readPositions(store, "job", "right")).toEqual({});
    store.setItem("weir.drawing.job.right", '{"a": {"x": "1"}, "b": {"x": 1, "y": 2}}');
    expect(readPositions(store, "job", "right")).toEqual({ b: { x: 1, y: 2 } });
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
