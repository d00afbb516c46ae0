import { describe, expect, it } from "vitest";
import type { Panel } from "../../api/types";
import { freePosition, nudge, settle } from "./layout";

const panel = (id: string, x: number, y: number, w = 4, h = 4) =>
  ({ id, position: { x, y, w, h } }) as unknown as Panel;
const places = (panels: readonly Panel[]) =>
  Object.fromEntries(panels.map(({ id, position: { x, y, w, h } }) => [id, [x, y, w, h]]));

describe("panels on the grid", () => {
  it("go up as far as they can, and never overlap", () => {
    expect(places(settle([panel("a", 0, 3), panel("b", 2, 3), panel("c", 8, 20)]))).toEqual({
      a: [0, 0, 4, 4],
      b: [2, 4, 4, 4],
      c: [8, 0, 4, 4],
    });
  });

  it("move by a cell, and stay inside", () => {
    const panels = [panel("a", 0, 0), panel("b", 4, 0)];
    expect(places(nudge(panels, "b", { x: 1 }))["b"]).toEqual([5, 0, 4, 4]);
    expect(places(nudge(panels, "a", { x: -1 }))["a"]).toEqual([0, 0, 4, 4]);
    expect(places(nudge([panel("a", 8, 0)], "a", { x: 1 }))["a"]).toEqual([8, 0, 4, 4]);
  });

  it("change places with the next one when moved down or up", () => {
    const panels = [panel("a", 0, 0), panel("b", 0, 4, 4, 2)];
    const down = nudge(panels, "a", { y: 1 });
    expect(places(down)).toEqual({ a: [0, 2, 4, 4], b: [0, 0, 4, 2] });
    expect(places(nudge(down, "a", { y: -1 }))).toEqual({ a: [0, 0, 4, 4], b: [0, 4, 4, 2] });
  });

  it("are resized within bounds", () => {
    const panels = [panel("a", 6, 0, 6, 2)];
    expect(places(nudge(panels, "a", { w: 1 }))["a"]).toEqual([6, 0, 6, 2]);
    expect(places(nudge(panels, "a", { w: -1 }))["a"]).toEqual([6, 0, 5, 2]);
    expect(places(nudge(panels, "a", { h: -1 }))["a"]).toEqual([6, 0, 6, 2]);
  });

  it("leave the first free place to a new one", () => {
    expect(freePosition([panel("a", 0, 0, 8, 4)], 4, 4)).toMatchObject({ x: 8, y: 0 });
    expect(freePosition([panel("a", 0, 0, 12, 4)], 4, 4)).toMatchObject({ x: 0, y: 4 });
  });
});
