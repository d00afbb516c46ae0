import { expect, test } from "vitest";
import { NEW_STEP, stepsOf, valueOf } from "./edit-steps";

test.each([
  ["5", 5],
  ['"5"', "5"],
  ["null", null],
  ["{\"a\": [1]}", { a: [1] }],
  ["abc", "abc"],
  ["a b ", "a b "],
  ["1.5e3", 1500],
  ["", undefined],
  ["12345678901234567890", undefined],
])("what is typed as %s is a value", (typed, value) => {
  expect(valueOf(typed)).toEqual(value);
});

test("steps are whole or there are none", () => {
  expect(stepsOf([{ ...NEW_STEP, field: " x ", value: "1" }])).toEqual([{ do: "set", field: "x", value: 1, only_missing: false }]);
  expect(stepsOf([{ ...NEW_STEP, do: "rename", field: "X", to: "x" }, { ...NEW_STEP, do: "remove", field: "y" }])).toEqual([
    { do: "rename", field: "X", to: "x" },
    { do: "remove", field: "y" },
  ]);
  expect(stepsOf([{ ...NEW_STEP, do: "replace", text: "NaN" }])).toEqual([{ do: "replace", text: "NaN", by: "" }]);
  for (const lacking of [NEW_STEP, { ...NEW_STEP, field: "x" }, { ...NEW_STEP, do: "rename", field: "x" } as const, { ...NEW_STEP, do: "replace", by: "x" } as const]) {
    expect(stepsOf([{ ...NEW_STEP, do: "remove", field: "y" }, lacking])).toBeNull();
  }
});
