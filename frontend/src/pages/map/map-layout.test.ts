import { describe, expect, it } from "vitest";
import { edge, EDGES, job, NODES, stream } from "./map.test-data";
import { positionsOf, sizeOf } from "./map-layout";

describe("positions on the map", () => {
  const many = Array.from({ length: 100 }, (_, at) => [
    stream(`s${String(at)}`),
    job(`j${String(at)}`),
    stream(`t${String(at)}`),
  ]).flat();
  const edges = Array.from({ length: 100 }, (_, at) => [
    edge(`stream:s${String(at % 30)}`, `job:j${String(at)}`),
    edge(`job:j${String(at)}`, `stream:t${String(at % 40)}`),
  ]).flat();

  it.each(["right", "down"] as const)("no place of 300 covers another, %s", (direction) => {
    const found = positionsOf({ nodes: many, edges }, direction);
    const boxes = many.map(({ id, kind }) => ({ ...sizeOf(kind), ...(found.get(id) ?? { x: NaN, y: NaN }) }));
    for (const [at, a] of boxes.entries())
      for (const b of boxes.slice(at + 1))
        expect(
          a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height,
        ).toBe(false);
  });

  it("have those that nothing flows through, too", () => {
    expect(positionsOf({ nodes: NODES, edges: EDGES }, "right").size).toBe(NODES.length);
    expect(positionsOf({ nodes: [stream("only")], edges: [] }, "right").get("stream:only")).toEqual({
      x: 0,
      y: 0,
    });
  });

  it.each([
    ["right", 1, 2.2],
    ["down", 0.4, 0.9],
  ] as const)("of parts that nothing connects fill the frame, %s", (direction, least, most) => {
    const nodes = Array.from({ length: 100 }, (_, at) => [stream(String(at)), job(String(at))]).flat();
    const apart = Array.from({ length: 100 }, (_, at) => edge(`stream:${String(at)}`, `job:${String(at)}`));
    const found = [...positionsOf({ nodes, edges: apart }, direction).values()];
    const across = Math.max(...found.map(({ x }) => x)) + sizeOf("job").width;
    const down = Math.max(...found.map(({ y }) => y)) + sizeOf("job").height;
    expect(across / down).toBeGreaterThan(least);
    expect(across / down).toBeLessThan(most);
  });
});
