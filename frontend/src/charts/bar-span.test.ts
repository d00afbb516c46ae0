import { expect, it } from "vitest";
import { scaleOf, spanOf, zeroAt } from "./bar-span";

it("draws bars from zero, which lies within where values have both signs", () => {
  const scale = scaleOf([30, -10]);
  expect(spanOf(30, scale)).toEqual({ left: 0.25, size: 0.75 });
  expect(spanOf(-10, scale)).toEqual({ left: 0, size: 0.25 });
  expect(spanOf(0, scale)).toEqual({ left: 0.25, size: 0 });
  expect(zeroAt(scale)).toBe(0.25);
});

it("gives the whole width to values of one sign", () => {
  expect(spanOf(5, scaleOf([10, 5]))).toEqual({ left: 0, size: 0.5 });
  expect(spanOf(-5, scaleOf([-10, -5]))).toEqual({ left: 0.5, size: 0.5 });
  expect([zeroAt(scaleOf([10])), zeroAt(scaleOf([-10]))]).toEqual([null, null]);
});

it("draws nothing of zeros alone", () => {
  expect(spanOf(0, scaleOf([0, 0]))).toEqual({ left: 0, size: 0 });
  expect(scaleOf([])).toEqual({ low: 0, high: 0 });
});
