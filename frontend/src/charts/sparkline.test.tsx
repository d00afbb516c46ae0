import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { Sparkline } from "./sparkline";

function lines(values: readonly (number | null)[]): string[] {
  const drawn = renderToStaticMarkup(<Sparkline values={values} label="Lag" width={40} height={14} />);
  return [...drawn.matchAll(/points="([^"]*)"/g)].map(([, points = ""]) => points);
}

it("draws a line for each run of values, a dot for one alone, and nothing in gaps", () => {
  expect(lines([0, 10, null, 5, null])).toEqual(["0.0,12.0 10.0,2.0", "30.0,7.0 30.0,7.0"]);
  expect(lines([0, 10])).toEqual(["0.0,12.0 40.0,2.0"]);
  expect(lines([null, 1, null])).toEqual([]);
});
