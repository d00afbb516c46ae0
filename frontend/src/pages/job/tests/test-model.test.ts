import { describe, expect, it } from "vitest";
import {
  addAt,
  addBatch,
  cellText,
  cellValue,
  freshTest,
  modelOf,
  removeAt,
  setAt,
  setCell,
  setName,
} from "./test-model";

const TEXT = `format: 1
name: late ticks # why it is here
start: 2026-01-01T10:00:00Z
batches:
  - records:
      ticks:
        - {at: 1s, values: {symbol: A, ask: 1.5}} # the first
        - {key: k, value: "{"}
        - {delete: {symbol: A}}
  - {restart: crash, silent: [ticks], advance: 10m, heartbeats: {ticks: 12m}}
  - expect: {late: 1, outputs: {live: {rows: []}}}
expect:
  outputs:
    live:
      contains:
        - {symbol: A}
`;

describe("a test as a table", () => {
  it("shows all that the table can edit", () => {
    const model = modelOf(TEXT);
    expect(model?.name).toBe("late ticks");
    const ticks = model?.batches[0]?.records["ticks"];
    expect(ticks?.[0]).toMatchObject({ at: "1s", values: { symbol: "A", ask: 1.5 }, deletes: false });
    expect(ticks?.[1]).toMatchObject({ values: null, key: "k", value: "{" });
    expect(ticks?.[2]).toMatchObject({ values: { symbol: "A" }, deletes: true });
    expect(model?.batches[1]).toMatchObject({
      restart: "crash",
      advance: "10m",
      silent: ["ticks"],
      heartbeats: { ticks: "12m" },
    });
    expect(model?.batches[2]?.expect).toMatchObject({ late: 1, outputs: { live: { rows: [] } } });
    expect(model?.expect.outputs).toEqual({ live: { contains: [{ symbol: "A" }] } });
  });

  it("has no table where the text is no mapping", () => {
    expect(modelOf("a: [")).toBeNull();
    expect(modelOf("- a")).toBeNull();
  });

  it("changes one cell and keeps the comments", () => {
    const next = setAt(TEXT, ["batches", 0, "records", "ticks", 0, "values", "ask"], 2);
    expect(next).toBe(TEXT.replace("ask: 1.5", "ask: 2"));
  });

  it("removes what becomes empty, but no row", () => {
    const once = setAt(TEXT, ["batches", 1, "heartbeats", "ticks"], "");
    expect(modelOf(once)?.batches[1]?.heartbeats).toEqual({});
    expect(once).not.toContain("heartbeats");
    const all = ["restart", "silent", "advance"].reduce(
      (text, name) => setAt(text, ["batches", 1, name], ""),
      once,
    );
    expect(modelOf(all)?.batches).toHaveLength(3);
  });

  it("adds and removes rows and batches", () => {
    const added = addAt(TEXT, ["batches", 1, "records", "clicks"], { at: "2s", values: {} });
    expect(modelOf(added)?.batches[1]?.records["clicks"]).toHaveLength(1);
    const expected = addAt(added, ["expect", "outputs", "live", "contains"], { symbol: "B" });
    expect(modelOf(expected)?.expect.outputs["live"]?.contains).toHaveLength(2);
    const more = addBatch(expected, { advance: "1m" });
    expect(modelOf(more)?.batches.at(-1)?.advance).toBe("1m");
    expect(modelOf(removeAt(more, ["batches", 0]))?.batches).toHaveLength(3);
    expect(more).toContain("# the first");
  });

  it("begins with a document that can be edited", () => {
    const fresh = freshTest("ticks", "live", 'a "new" test');
    expect(modelOf(fresh)?.name).toBe('a "new" test');
    const filled = addAt(fresh, ["expect", "outputs", "live", "contains"], { n: 1 });
    expect(modelOf(filled)?.expect.outputs["live"]?.contains).toEqual([{ n: 1 }]);
  });

  it("reads cells by type, and loses no digit", () => {
    expect(cellValue("1.5", "double")).toBe(1.5);
    expect(cellValue("7", "string")).toBe("7");
    expect(cellValue("null", "string")).toBeNull();
    expect(cellValue("true", "boolean")).toBe(true);
    expect(cellValue("[1, 2]", "array<int>")).toEqual([1, 2]);
    expect(cellValue("[1,", "array<int>")).toBe("[1,");
    expect(cellValue("9007199254740993", "long")).toBe(9007199254740993n);
    expect(cellValue("9007199254740993", "double")).toBe(9007199254740992);
    expect(cellValue("[9007199254740993]", "array<long>")).toEqual([9007199254740993n]);
    expect(cellValue("1234567890123456.78", "decimal(18,2)")).toBe("1234567890123456.78");
    expect(cellValue("1.50", "decimal(18,2)")).toBe(1.5);
    expect(cellValue("5s", "timestamp")).toBe("5s");
    expect(["", "a", "1.5", "null", "[1]"].map((text) => text)).toEqual(
      [undefined, "a", 1.5, null, [1]].map(cellText),
    );
  });
});

describe("a cell", () => {
  it.each([
    [undefined, ""],
    [null, "null"],
    ["", '""'],
    ["null", '"null"'],
    [" null", '" null"'],
    ['""', String.raw`"\"\""`],
    ['"a"', '"a"'],
    ['say "a"', 'say "a"'],
  ])("that is %o shows %s, and is that again when it is typed", (value, shown) => {
    expect(cellText(value)).toBe(shown);
    const path = ["batches", 0, "records", "ticks", 0, "values"];
    const typed = setCell(TEXT, [...path, "symbol"], shown, "string");
    const { symbol } = modelOf(typed)?.batches[0]?.records["ticks"]?.[0]?.values ?? {};
    expect(symbol).toBe(value);
  });
});

describe("integers that a browser would round", () => {
  const TEST = "format: 1\nname: a\nbatches:\n  - records: {s: [{values: {id: 9007199254740993, n: 1}}]}\n";
  const idOf = (text: string) => modelOf(text)?.batches[0]?.records["s"]?.[0]?.values?.["id"];

  it("keep their digits when something else is edited", () => {
    expect(setAt(TEST, ["batches", 0, "records", "s", 0, "values", "n"], 2)).toContain(
      "{id: 9007199254740993, n: 2}",
    );
    expect(setName(TEST, "b")).toContain("id: 9007199254740993,");
  });

  it("are shown with them, and written as numbers", () => {
    expect(cellText(idOf(TEST))).toBe("9007199254740993");
    const id = cellValue("-9223372036854775808", "long");
    const typed = setAt(TEST, ["batches", 0, "records", "s", 0, "values", "id"], id);
    expect(typed).toContain("{id: -9223372036854775808, n: 1}");
    expect(setAt(TEST, ["expect"], { outputs: { live: { rows: [{ id: idOf(TEST) }] } } })).toContain(
      "[{id: 9007199254740993}]",
    );
    expect(cellText([{ id: 9007199254740993n }])).toBe('[{"id":9007199254740993}]');
  });
});

describe("doubles", () => {
  const TEST = "format: 1\nname: a\nbatches:\n  - records: {s: [{values: {x: 1.0e-7, n: 1}}]}\n";
  const PATH = ["batches", 0, "records", "s", 0, "values"];

  it("are written with a point, without which the server takes them for texts", () => {
    for (const [value, text] of [
      [1e-7, "1.0e-7"],
      [-1.5e-7, "-1.5e-7"],
      [1e21, "1.0e+21"],
      [1e18, "1.0e+18"],
      [2 ** 63, "9.223372036854776e+18"],
      [0.0033333333333333335, "0.0033333333333333335"],
      [12, "12"],
    ] as const) {
      expect(setAt(TEST, [...PATH, "y"], value)).toContain(`, y: ${text}}`);
      expect(setAt(TEST, PATH, { y: value })).toContain(`{y: ${text}}`);
      expect(modelOf(setAt(TEST, [...PATH, "y"], value))?.batches[0]?.records["s"]?.[0]?.values?.["y"]).toBe(
        value,
      );
    }
  });

  it("keep their point when something else is edited, and texts that look like numbers stay texts", () => {
    expect(setAt(TEST, [...PATH, "n"], 2)).toContain("{x: 1.0e-7, n: 2}");
    const texts = TEST.replace("x: 1.0e-7", "x: 1e3, y: 007, z: 0x1F, d: 0.12345678901234567890, m: 1.50");
    expect(modelOf(texts)?.batches[0]?.records["s"]?.[0]?.values).toEqual({
      x: "1e3",
      y: "007",
      z: "0x1F",
      d: "0.12345678901234567890",
      m: 1.5,
      n: 1,
    });
    expect(setAt(texts, [...PATH, "n"], 2)).toBe(texts.replace("n: 1", "n: 2"));
  });

  it("may be typed with an exponent", () => {
    expect(cellValue("1e-7", "double")).toBe(1e-7);
    expect(cellValue("-2.5E+3", "double")).toBe(-2500);
    expect(cellValue("1e999", "double")).toBe("1e999");
    expect(cellValue("1e3", "long")).toBe("1e3");
  });
});

describe("a field of a test", () => {
  const TEST = "format: 1\nname: a\nbatches:\n  - silent: [ticks] # sensor off\n    advance: 1m\n";

  it("keeps its place when a name is cleared to be typed anew, and no other name is written for it", () => {
    const cleared = setName(TEST, "");
    expect(modelOf(cleared)?.name).toBe("");
    expect(setName(cleared, "b")).toMatch(/^format: 1\nname: "?b"?\nbatches/);
  });

  it("takes the silence out of a batch; an empty list would end an earlier one", () => {
    expect(modelOf(removeAt(TEST, ["batches", 0, "silent"]))?.batches[0]).toMatchObject({
      silent: null,
      advance: "1m",
    });
    expect(modelOf(setAt(TEST, ["batches", 0, "silent"], []))?.batches[0]?.silent).toEqual([]);
  });
});

describe("where a name has nothing behind it, or a text", () => {
  const HEAD = "format: 1\nname: a\nbatches:\n  - records: {ticks: [{at: 1s, values: {n: 1}}]}\n";
  const LATE = ["expect", "late"];

  it.each(["expect:\n", "expect: none\n", "expect: []\n", ""])("%o gets what is typed", (rest) => {
    expect(modelOf(setAt(HEAD + rest, LATE, 2))?.expect.late).toBe(2);
    const rows = ["expect", "outputs", "live", "contains"];
    expect(modelOf(addAt(HEAD + rest, rows, { n: 1 }))?.expect.outputs).toEqual({
      live: { contains: [{ n: 1 }] },
    });
  });

  it.each(["expect:\n", "expect: none\n", "expect: []\n", ""])("%o stays when a cell is emptied", (rest) => {
    expect(setAt(HEAD + rest, LATE, undefined)).toBe(HEAD + rest);
    expect(setCell(HEAD + rest, ["expect", "outputs", "live", "rows", 0, "n"], "", "int")).toBe(HEAD + rest);
    expect(removeAt(HEAD + rest, ["expect", "outputs", "live", "rows", 0])).toBe(HEAD + rest);
  });

  it("an item of a list gets what is typed, and the others stay", () => {
    const text = "format: 1\nbatches:\n  - # nothing yet\n  - {advance: 1m} # later\n";
    const next = setAt(text, ["batches", 0, "advance"], "2m");
    expect(modelOf(next)?.batches.map(({ advance }) => advance)).toEqual(["2m", "1m"]);
    expect(next).toContain("# nothing yet");
    expect(next).toContain("# later");
    const record = ["batches", 0, "records", "ticks", 0];
    for (const row of ["null", "x", "{values: }", "{values: x}", "{values}", "[]"]) {
      const rows = HEAD.replace("{at: 1s, values: {n: 1}}", `${row}, {at: 2s}`);
      const typed = setCell(rows, [...record, "values", "n"], "3", "int");
      const ticks = modelOf(typed)?.batches[0]?.records["ticks"];
      expect(ticks?.map(({ at, values }) => [at, values])).toEqual([
        ["", { n: 3 }],
        ["2s", {}],
      ]);
      expect(setCell(rows, [...record, "values", "n"], "", "int")).toContain("{at: 2s}");
    }
  });

  it("comments stay", () => {
    expect(setAt(`${HEAD}expect: # to do\n`, LATE, 2)).toContain("# to do");
  });
});
