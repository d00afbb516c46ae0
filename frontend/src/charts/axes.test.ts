import type uPlot from "uplot";
import { describe, expect, it } from "vitest";
import { around, fromZero } from "./axes";

const plot = {} as uPlot;

describe("a value scale from zero", () => {
  it("has zero at its end, or within where values have both signs", () => {
    expect(fromZero(plot, 20, 100)).toEqual([0, 106]);
    expect(fromZero(plot, -100, -20)).toEqual([-106, 0]);
    expect(fromZero(plot, -40, 60)).toEqual([-46, 66]);
  });

  it("is never flat", () => {
    for (const value of [0, null]) expect(fromZero(plot, value, value)).toEqual([0, 1]);
    expect(fromZero(plot, -50, -50)).toEqual([-53, 0]);
  });
});

describe("a value scale around values", () => {
  it("leaves zero out where it is far away, on either side", () => {
    const [low, high] = around(plot, 28, 30);
    expect([low, high]).toEqual([27.76, 30.24]);
    expect(around(plot, -30, -28)).toEqual([-high, -low]);
  });

  it("begins at zero where that is near", () => {
    expect(around(plot, 20, 100)).toEqual([0, 106]);
    expect(around(plot, -100, -20)).toEqual([-106, 0]);
    expect(around(plot, -40, 60)).toEqual([-46, 66]);
    expect(around(plot, null, null)).toEqual([0, 1]);
  });
});
