import { MantineProvider } from "@mantine/core";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { NumberField, optionalOf, toldOf } from "./number-field";

describe("a number while it is typed", () => {
  it.each([
    ["", null],
    ["-", null],
    [".", null],
    ["1.", 1],
    ["-5", -5],
    [12, 12],
    ["1e400", null],
  ])("%j tells %j", (typed, told) => {
    expect(toldOf(typed)).toBe(told);
  });

  it("tells nothing outside its bounds: an empty input is not the least number", () => {
    expect(toldOf("", 3, 256)).toBeNull();
    expect(toldOf(1, 3, 256)).toBeNull();
    expect(toldOf(16, 3, 256)).toBe(16);
    expect(toldOf(257, 3, 256)).toBeNull();
  });
});

it("one that may be left out is not taken away by half of a number: 0.05 begins with 0.", () => {
  expect(["0", "0.", "0.0", "0.05"].map((typed) => optionalOf(typed))).toEqual([0, 0, 0, 0.05]);
  expect(optionalOf("")).toBeNull();
  expect(optionalOf("-")).toBeUndefined();
  expect(optionalOf(300, 0, 256)).toBeUndefined();
});

it("shows the number that there is", () => {
  const page = renderToStaticMarkup(
    <MantineProvider>
      <NumberField label="Partitions" value={12} min={1} onChange={() => undefined} />
    </MantineProvider>,
  );
  expect(page).toContain('value="12"');
});
