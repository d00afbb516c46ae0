import { expect, test } from "vitest";
import { NEW_OPERATION, operationsOf, valueOf } from "./edit-operations";

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
  expect(operationsOf([{ ...NEW_OPERATION, field: " x ", value: "1" }])).toEqual([{ do: "set", field: "x", value: 1, only_missing: false }]);
  expect(operationsOf([{ ...NEW_OPERATION, do: "rename", field: "X", to: "x" }, { ...NEW_OPERATION, do: "remove", field: "y" }])).toEqual([
    { do: "rename", field: "X", to: "x" },
    { do: "remove", field: "y" },
  ]);
  expect(operationsOf([{ ...NEW_OPERATION, do: "replace", text: "NaN" }])).toEqual([{ do: "replace", text: "NaN", by: "" }]);
  for (const lacking of [NEW_OPERATION, { ...NEW_OPERATION, field: "x" }, { ...NEW_OPERATION, do: "rename", field: "x" } as const, { ...NEW_OPERATION, do: "replace", by: "x" } as const]) {
    expect(operationsOf([{ ...NEW_OPERATION, do: "remove", field: "y" }, lacking])).toBeNull();
  }
});
