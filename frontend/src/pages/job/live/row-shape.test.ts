import { describe, expect, it } from "vitest";
import type { ResultShape } from "../../../api/types";
import { initialSort, shapeOf } from "./row-shape";

const field = (name: string, type: string) => ({ name, type, nullable: false });

function windowed(start: string, ...more: string[]): ResultShape {
  const times = [start, ...more].map((name) => field(name, "timestamp"));
  return {
    kind: "append",
    identity: [start, "until", "symbol"],
    identity_kind: "key",
    schema: [...times, field("symbol", "string"), field("n", "long")],
    windowed: true,
  };
}

const names = (fields: readonly { name: string }[]) => fields.map(({ name }) => name);

describe("the shape of windowed rows", () => {
  it("has the window apart from their key", () => {
    const shape = shapeOf({ ...windowed("window_start", "window_end") }, undefined);
    expect([shape.windowed, shape.charted, initialSort(shape)]).toEqual([true, true, "-window_start"]);
    expect(names([...shape.keys, ...shape.measures, ...shape.others])).toEqual(["symbol", "n"]);
  });

  it.each([
    ["renamed", windowed("hour", "until"), ["hour", "until", "symbol", "n"]],
    ["without an end", windowed("window_start"), ["window_start", "symbol", "n"]],
  ])("whose bounds are %s is a table of all their fields, the newest first", (_, result, columns) => {
    const shape = shapeOf(result, undefined);
    expect([shape.windowed, shape.charted, initialSort(shape)]).toEqual([false, false, "-_newest"]);
    expect(names([...shape.keys, ...shape.measures, ...shape.others]).sort()).toEqual([...columns].sort());
  });
});
