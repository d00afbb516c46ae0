import { describe, expect, it } from "vitest";
import type { CachedRow } from "../../../live/result-store";
import { shapeOf } from "./row-shape";
import { sortRows } from "./sort";
import { rangeSeconds } from "./time-ranges";

const row = (id: string, value: Record<string, unknown>, newest = 0): CachedRow => ({
  id,
  value,
  newest,
  partial: false,
  changed: {},
});
const ids = (rows: readonly CachedRow[]) => rows.map(({ id }) => id);

describe("the order of rows", () => {
  const rows = [
    row("b", { n: 10 }, 1),
    row("a", { n: 10 }, 3),
    row("c", { n: "9.5" }, 2),
    row("d", { n: null }),
  ];

  it("is by value, then by identity, null lowest", () => {
    expect(ids(sortRows(rows, "n"))).toEqual(["d", "c", "a", "b"]);
    expect(ids(sortRows(rows, "-n"))).toEqual(["a", "b", "c", "d"]);
  });

  it("may be by the newest input", () => {
    expect(ids(sortRows(rows, "-_newest"))).toEqual(["a", "c", "b", "d"]);
  });

  it("of ten thousand rows takes a fraction of a frame", () => {
    const many = Array.from({ length: 10_000 }, (_, n) =>
      row(String(n), { at: `2026-01-01T00:${String(n % 60).padStart(2, "0")}:00.000000Z` }),
    );
    const began = performance.now();
    sortRows(many, "-at");
    expect(performance.now() - began).toBeLessThan(100);
  });
});

describe("the shape of a result", () => {
  it("parts window bounds, keys, measures and the rest", () => {
    const field = (name: string, type: string) => ({ name, type, nullable: false });
    const shape = shapeOf(
      {
        kind: "upsert",
        windowed: true,
        identity_kind: "key",
        identity: ["window_start", "window_end", "symbol"],
        schema: [
          field("window_start", "timestamp"),
          field("window_end", "timestamp"),
          field("symbol", "string"),
          field("n", "long"),
          field("price", "decimal(10,2)"),
          field("note", "string"),
        ],
      },
      undefined,
    );
    expect(shape.keys.map(({ name }) => name)).toEqual(["symbol"]);
    expect(shape.measures.map(({ name }) => name)).toEqual(["n", "price"]);
    expect(shape.others.map(({ name }) => name)).toEqual(["note"]);
    expect(shape.charted).toBe(true);
  });

  it("charts no rows that have no key", () => {
    const schema = [{ name: "price", type: "double", nullable: true }];
    const rows = { kind: "append", windowed: false, identity: [], schema } as const;
    expect(shapeOf({ ...rows, schema, identity: [], identity_kind: "row" }, undefined).charted).toBe(false);
    expect(shapeOf({ ...rows, schema, identity: [], identity_kind: "key" }, undefined).charted).toBe(true);
  });
});

describe("the event time shown", () => {
  it("is some 150 windows unless chosen", () => {
    expect(rangeSeconds("auto", 600)).toBe(90_000);
    expect(rangeSeconds("auto", null)).toBeNull();
    expect(rangeSeconds("1h", 600)).toBe(3_600);
    expect(rangeSeconds("all", 600)).toBeNull();
  });
});
