import { describe, expect, it } from "vitest";
import type { CachedRow } from "../../../live/result-store";
import { columnsOf } from "./columns";
import { earlierFields, initialSort, measureOf, shapeOf } from "./row-shape";
import { sortRows } from "./sort";
import { rangeSeconds } from "./time-ranges";
import { withInstants } from "./use-instants";

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
    // The fastest of some, because the machine may be doing something else meanwhile.
    const took = Array.from({ length: 5 }, () => {
      const began = performance.now();
      sortRows(many, "-at");
      return performance.now() - began;
    });
    expect(Math.min(...took)).toBeLessThan(100);
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

  it("shows what only rows from before an edit have", () => {
    const schema = [
      { name: "symbol", type: "string", nullable: false },
      { name: "n", type: "long", nullable: false },
    ];
    const rows = [{ value: { symbol: "A", n: 1 } }, { value: { symbol: "B", n: 2, low: 0.5, note: "x" } }];
    const earlier = earlierFields(schema, rows);
    expect(earlier.map(({ name, type }) => [name, type])).toEqual([
      ["low", "double"],
      ["note", "string"],
    ]);
    const result = {
      kind: "upsert",
      windowed: false,
      identity: ["symbol"],
      identity_kind: "key",
      schema,
    } as const;
    const shape = shapeOf({ ...result, schema, identity: ["symbol"] }, undefined, [], earlier);
    expect(shape.measures.map(({ name }) => name)).toEqual(["n"]);
    expect(columnsOf(shape).map(({ field }) => field)).toEqual(["symbol", "n", "low", "note", "_newest"]);
  });

  it("charts no rows that have no key", () => {
    const schema = [{ name: "price", type: "double", nullable: true }];
    const rows = { kind: "append", windowed: false, identity: [], schema } as const;
    expect(shapeOf({ ...rows, schema, identity: [], identity_kind: "row" }, undefined).charted).toBe(false);
    expect(shapeOf({ ...rows, schema, identity: [], identity_kind: "key" }, undefined).charted).toBe(true);
  });
});

describe("results that are no windows", () => {
  const field = (name: string, type: string) => ({ name, type, nullable: true });
  const schema = [
    field("id", "string"),
    field("at_ms", "long"),
    field("sent", "timestamp"),
    field("n", "long"),
  ];
  const result = { kind: "upsert", windowed: false, identity: ["id"], identity_kind: "key", schema } as const;
  const keyed = { ...result, identity: ["id"], schema: [...schema] };
  it("epoch milliseconds are times and measure nothing", () => {
    const shape = shapeOf(keyed, undefined, ["at_ms"]);
    expect(shape.measures.map(({ name }) => name)).toEqual(["n"]);
    expect(columnsOf(shape).map(({ field: name, kind }) => [name, kind])).toEqual([
      ["id", "key"],
      ["n", "number"],
      ["at_ms", "instant"],
      ["sent", "time"],
      ["_newest", "newest"],
    ]);
  });

  it("have no chart where nothing is left to compare, and then the newest come first", () => {
    const times = { ...keyed, schema: schema.slice(0, 3) };
    const shape = shapeOf(times, undefined, ["at_ms"]);
    expect(shape.charted).toBe(false);
    expect(initialSort(shape)).toBe("-_newest");
    expect(initialSort(shapeOf(keyed, undefined, ["at_ms"]))).toBe("-n");
  });
});

describe("instants as integers", () => {
  const NOW = 1_795_431_239_000;
  const instantsOf = (values: Record<string, unknown>, known = new Map<string, boolean>()) => {
    const schema = Object.keys(values).map((name) => ({ name, type: "long", nullable: true }));
    return withInstants(known, schema, [{ value: values }]);
  };
  const isInstant = (name: string, value: unknown) => instantsOf({ [name]: value }).get(name) ?? false;

  it("have a name of a time, and values since 2001", () => {
    for (const name of ["at_ms", "event_time", "_time", "created_at", "ts", "timestamp", "createdAt"])
      expect(isInstant(name, NOW), name).toBe(true);
    expect(isInstant("at_us", NOW * 1000)).toBe(true);
    for (const name of ["total", "bytes", "status", "format", "lifetimes", "at_us"])
      expect(isInstant(name, NOW), name).toBe(false);
    expect(isInstant("response_time", 250)).toBe(false);
    expect(isInstant("at_ms", null)).toBe(false);
  });

  it("are what their first values say, whichever rows come and go", () => {
    const first = instantsOf({ at_ms: NOW, took_ms: 250, seen_at: null });
    const later = instantsOf({ at_ms: 0, took_ms: NOW, seen_at: NOW }, new Map(first));
    expect([...later]).toEqual([
      ["at_ms", true],
      ["took_ms", false],
      ["seen_at", true],
    ]);
    expect(instantsOf({ at_ms: 0 }, later as Map<string, boolean>)).toBe(later);
  });
});

describe("the measure shown", () => {
  const schema = ["n", "total"].map((name) => ({ name, type: "long", nullable: false }));
  const of = (fields: typeof schema) =>
    shapeOf(
      { kind: "upsert", windowed: true, identity: [], identity_kind: "key", schema: fields },
      undefined,
    );

  it("is the one in the address, and the first where the result has no such", () => {
    const name = (wanted: string | null) => measureOf(of(schema), wanted)?.name;
    expect([name("total"), name("gone"), name(null)]).toEqual(["total", "n", "n"]);
    expect(measureOf(of([]), "n")).toBeNull();
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
