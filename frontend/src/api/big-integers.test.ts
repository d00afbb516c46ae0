import { describe, expect, it } from "vitest";
import { quoteBigIntegers } from "./big-integers";

describe("numbers that a browser would round", () => {
  it("become texts, and nothing else changes", () => {
    expect(
      JSON.parse(
        quoteBigIntegers(
          '{"id": 1152921504606846984, "n": -9007199254740993, "at": 1767261600000000, ' +
            '"x": 1.1529215046068469e18, "t": "1152921504606846984 \\"9007199254740993", ' +
            '"l": [9007199254740993]}',
        ),
      ),
    ).toEqual({
      id: "1152921504606846984",
      n: "-9007199254740993",
      at: 1767261600000000,
      x: 1.1529215046068469e18,
      t: '1152921504606846984 "9007199254740993',
      l: ["9007199254740993"],
    });
  });
});
