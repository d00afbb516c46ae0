import { describe, expect, it } from "vitest";
import { jsonText, markBigIntegers, quoteBigIntegers, withBigIntegers } from "./big-integers";
import { exactly } from "./client";

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

describe("what is written again", () => {
  const json =
    '{"expect": {"id": 1152921504606846984, "t": "1152921504606846984", "l": [-9007199254740993]}}';

  it("has long integers as such, and texts as texts", () => {
    const value = withBigIntegers(JSON.parse(markBigIntegers(json)) as unknown);
    expect(value).toEqual({
      expect: { id: 1152921504606846984n, t: "1152921504606846984", l: [-9007199254740993n] },
    });
    expect(jsonText(value)).toBe(json.replaceAll(": ", ":").replaceAll(", ", ","));
  });
});

describe("the answers that are read so", () => {
  const W = "/api/v1/workspaces/demo";

  it.each([
    ["GET", `${W}/streams/s/records`, quoteBigIntegers],
    ["GET", `${W}/streams/s/profile`, quoteBigIntegers],
    ["GET", `${W}/alerts/a1`, quoteBigIntegers],
    ["POST", `${W}/jobs/j/row-inputs`, quoteBigIntegers],
    ["GET", `${W}/jobs/j/test-runs/r1`, markBigIntegers],
    ["GET", `${W}/jobs/j/tests`, markBigIntegers],
    ["GET", `${W}/clusters/home/topics/t`, null],
    ["POST", `${W}/streams/s/records`, null],
  ])("%s %s", (method, path, reader) => {
    expect(exactly(method, path)).toBe(reader);
  });
});
