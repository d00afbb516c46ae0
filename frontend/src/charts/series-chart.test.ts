import { describe, expect, it } from "vitest";
import { barRange, barRuns, stack } from "./series-chart";

describe("stacked series", () => {
  it("stand on those after them, across gaps", () => {
    expect(
      stack([
        [1, 1],
        [2, null],
        [4, 4],
      ]),
    ).toEqual([
      [7, 5],
      [6, null],
      [4, 4],
    ]);
  });

  it("have those below zero apart from those above it", () => {
    expect(stack([[5], [-3]])).toEqual([[5], [-3]]);
    expect(
      stack([
        [5, -5],
        [2, 2],
        [-3, null],
        [-4, -4],
      ]),
    ).toEqual([
      [7, -9],
      [2, 2],
      [-7, null],
      [-4, -4],
    ]);
  });

  it("have a zero on the side of the series' other values", () => {
    expect(
      stack([
        [0, -1],
        [5, 5],
      ]),
    ).toEqual([
      [0, -1],
      [5, 5],
    ]);
    expect(
      stack([
        [0, 1],
        [5, 5],
      ]),
    ).toEqual([
      [5, 6],
      [5, 5],
    ]);
    expect(
      stack([
        [0, 0],
        [5, 5],
      ]),
    ).toEqual([
      [5, 5],
      [5, 5],
    ]);
  });
});

describe("bars", () => {
  it("go on to the next instant, the newest for a step; what is missing is a gap", () => {
    expect(barRuns([0, 1, 2, 3, 4], [7, 8, null, 9, 6], 1)).toEqual([
      [
        { from: 0, to: 1, value: 7 },
        { from: 1, to: 2, value: 8 },
      ],
      [
        { from: 3, to: 4, value: 9 },
        { from: 4, to: 5, value: 6 },
      ],
    ]);
    expect(barRuns([0, 1], [null, null], 1)).toEqual([]);
  });

  it("have room for all of the newest", () => {
    const times = Array.from({ length: 62 }, (_, n) => n * 10);
    expect(barRange(times, 10)).toEqual([0, 620]);
    expect(barRange(times.slice(0, 5), 10)).toEqual([-5, 45]);
  });
});
