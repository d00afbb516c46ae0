import { describe, expect, it } from "vitest";
import type { SchemaField } from "../api/types";
import { clashingNames, equalNames, proposedPrefix } from "./equal-names";

const fields = (...names: string[]): SchemaField[] =>
  names.map((name) => ({ name, type: "long", nullable: true }));

describe("proposals for a join", () => {
  it("the key is a field that both sides have with one type", () => {
    const left = fields("user", "at");
    const right: SchemaField[] = [...fields("user"), { name: "at", type: "timestamp", nullable: true }];
    expect(equalNames(left, right, [])).toEqual(["user"]);
    expect(equalNames(left, right, [["user", "user"]])).toEqual([]);
  });

  it("right fields with a name of the left one need a prefix", () => {
    expect(clashingNames(fields("user", "at"), fields("user", "amount", "at"))).toEqual(["user", "at"]);
    expect(clashingNames(fields("user"), fields("amount"))).toEqual([]);
  });

  it("the prefix is the right input's name, and gives no name that is in use", () => {
    expect(proposedPrefix("buys", fields("at"), fields("at"))).toBe("buys_");
    expect(proposedPrefix("checked.rest", fields("at"), fields("at"))).toBe("checked_rest_");
    expect(proposedPrefix("buys", fields("at", "buys_at"), fields("at"))).toBe("buys__");
  });
});
