import { expect, test } from "vitest";
import type { FieldProfile } from "../../api/types";
import { rangeText, topText } from "./value-text";

const FIELD: FieldProfile = {
  name: "status",
  type: "string",
  nulls: 0,
  distinct: 2,
  lowest: "FAILED",
  highest: "OK",
  top: [
    { value: "OK", records: 1200 },
    { value: "FAILED", records: 3 },
  ],
  example: "OK",
};

test("values come with their number", () => {
  expect(topText(FIELD, 1203)).toBe("OK (1,200), FAILED (3)");
  expect(topText({ ...FIELD, top: [] }, 9)).toBe("all different");
  expect(topText({ ...FIELD, top: [], distinct: null }, 9)).toBe("–");
});

test("a range of one value is that value", () => {
  expect(rangeText(FIELD)).toBe("FAILED … OK");
  expect(rangeText({ ...FIELD, lowest: 7, highest: 7 })).toBe("7");
});
