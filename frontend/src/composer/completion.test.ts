import { describe, expect, it } from "vitest";
import { completed, suggestions, wordAt, type Callable } from "./completion";

const FIELDS = [
  { name: "price", type: "double", nullable: true },
  { name: "symbol", type: "string", nullable: false },
];
const CALLABLES: Callable[] = [
  { name: "power", signature: "power(double, double) → double", doc: "x to the power of y.", bare: false },
  { name: "count", signature: "count()", doc: "Rows.", bare: true },
];

describe("completion of an expression", () => {
  it.each([
    ["price > po", 10, "po"],
    ["price > 'po", 11, ""],
    ["", 0, ""],
    ["a+b_1", 5, "b_1"],
    ["price", 2, "pr"],
  ])("finds the word in %s", (text, cursor, word) => {
    expect(wordAt(text, cursor)).toBe(word);
  });

  it("offers fields before functions, beginnings before the rest", () => {
    expect(suggestions("p", FIELDS, CALLABLES).map(({ text }) => text)).toEqual(["price", "power()"]);
    expect(suggestions("o", FIELDS, CALLABLES).map(({ text }) => text)).toEqual([
      "symbol",
      "power()",
      "count()",
    ]);
    expect(suggestions("", FIELDS, CALLABLES)).toEqual([]);
    expect(suggestions("price", FIELDS, CALLABLES)).toEqual([]);
  });

  it("puts the cursor between the brackets of a function that takes something", () => {
    const [, power] = suggestions("p", FIELDS, CALLABLES);
    const [count] = suggestions("cou", FIELDS, CALLABLES);
    if (!power || !count) throw new Error("nothing offered");
    expect(completed("1 + p", 5, power)).toEqual({ text: "1 + power()", cursor: 10 });
    expect(completed("cou", 3, count)).toEqual({ text: "count()", cursor: 7 });
    expect(completed("po(x)", 2, power)).toEqual({ text: "power(x)", cursor: 6 });
  });
});
