import { describe, expect, it } from "vitest";
import { sqlCompletions, type Known } from "./completion";

const KNOWN: Known = {
  relations: [
    {
      name: "trades",
      kind: "stream",
      fields: [
        { name: "symbol", type: "string", nullable: false },
        { name: "the price", type: "double", nullable: true },
      ],
    },
    { name: "odd-topic", kind: "stream", fields: [] },
    { name: "rates", kind: "table", fields: [{ name: "rate", type: "double" }] },
  ],
  callables: [
    { name: "count", signature: "count()", doc: "Rows.", bare: true },
    { name: "avg", signature: "avg(price)", doc: "Mean.", bare: false },
  ],
};

/** What is offered at the | of a text, in its order. */
function offered(text: string, explicit = false): string[] | null {
  const at = text.indexOf("|");
  const found = sqlCompletions(text.replace("|", ""), at, explicit, KNOWN);
  return found && found.options.map(({ apply, label }) => (typeof apply === "string" ? apply : label));
}

describe("SQL is completed", () => {
  it("after FROM: with streams, tables, views of the text, table functions", () => {
    const found = offered("CREATE VIEW big AS SELECT * FROM trades;\nSELECT * FROM b|");
    expect(found?.slice(0, 4)).toEqual(["trades", "`odd-topic`", "rates", "big"]);
    expect(found).toContain("TUMBLE(TABLE ");
    expect(offered("WITH big AS (SELECT * FROM trades) SELECT * FROM |", true)).toContain("big");
    expect(offered("SELECT * FROM TUMBLE(TABLE t|")).not.toContain("HOP(TABLE ");
  });

  it("with the fields of what the statement reads, functions, keywords", () => {
    const found = offered("SELECT * FROM rates; SELECT s| FROM trades");
    expect(found?.slice(0, 2)).toEqual(["symbol", "`the price`"]);
    expect(found).toEqual(expect.arrayContaining(["count()", "avg(", "SELECT"]));
    expect(found).not.toContain("rate");
    expect(offered("SELECT s| FROM HOP(TABLE trades, INTERVAL '1' HOUR)")?.[0]).toBe("symbol");
  });

  it("after a point with the fields of that alias alone", () => {
    expect(offered("SELECT l.| FROM trades AS l JOIN rates r ON TRUE")).toEqual(["symbol", "`the price`"]);
    expect(offered("SELECT r.x| FROM trades AS l JOIN rates r ON TRUE")).toEqual(["rate"]);
    expect(offered("SELECT rates.| FROM trades JOIN rates ON TRUE")).toEqual(["rate"]);
  });

  it("in backticks with names alone, up to the closing one", () => {
    expect(offered("SELECT * FROM `odd|")).toContain("odd-topic`");
    expect(offered("SELECT `the| FROM trades")).toEqual([
      "symbol`",
      "the price`",
      "trades`",
      "odd-topic`",
      "rates`",
    ]);
  });

  it("unless nothing is typed, or in a string, comment or number", () => {
    expect(offered("SELECT | FROM trades")).toBeNull();
    expect(offered("SELECT | FROM trades", true)).toContain("symbol");
    expect(offered("SELECT 'sy|' FROM trades")).toBeNull();
    expect(offered("-- sy|")).toBeNull();
    expect(offered("SELECT 1|")).toBeNull();
  });
});
