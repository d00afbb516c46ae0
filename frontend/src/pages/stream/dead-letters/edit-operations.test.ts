import { expect, test } from "vitest";
import { NEW_OPERATION, operationsOf, valueOf } from "./edit-operations";

test.each([
  ["5", 5],
  ['"5"', "5"],
  ["null", null],
  ['{"a": [1]}', { a: [1] }],
  ["abc", "abc"],
  ["a b ", "a b "],
  ["1.5e3", 1500],
  ["", undefined],
  ["12345678901234567890", undefined],
  ["[9007199254740993]", undefined],
  ["123456789012345678.91", undefined],
  ["1e400", undefined],
  ["[0.10, -1.5e3, 0, 12.50]", [0.1, -1_500, 0, 12.5]],
  ['"123456789012345678.91"', "123456789012345678.91"],
  ['{"id": 9007199254740993}', undefined],
  ['{"id": "9007199254740993"}', { id: "9007199254740993" }],
])("what is typed as %s is a value", (typed, value) => {
  expect(valueOf(typed)).toEqual(value);
});

test("steps are whole or there are none", () => {
  expect(operationsOf([{ ...NEW_OPERATION, field: " x ", value: "1" }])).toEqual([
    { op: "set", field: "x", value: 1, only_missing: false },
  ]);
  expect(
    operationsOf([
      { ...NEW_OPERATION, op: "rename", field: "X", to: "x" },
      { ...NEW_OPERATION, op: "remove", field: "y" },
    ]),
  ).toEqual([
    { op: "rename", field: "X", to: "x" },
    { op: "remove", field: "y" },
  ]);
  expect(operationsOf([{ ...NEW_OPERATION, op: "replace", text: "NaN" }])).toEqual([
    { op: "replace", text: "NaN", by: "" },
  ]);
  for (const lacking of [
    NEW_OPERATION,
    { ...NEW_OPERATION, field: "x" },
    { ...NEW_OPERATION, op: "rename", field: "x" } as const,
    { ...NEW_OPERATION, op: "replace", by: "x" } as const,
  ]) {
    expect(operationsOf([{ ...NEW_OPERATION, op: "remove", field: "y" }, lacking])).toBeNull();
  }
});
