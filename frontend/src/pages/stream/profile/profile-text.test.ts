import { expect, test } from "vitest";
import type { FieldProfile, Lateness } from "../../../api/types";
import { delayText, rangeText, stopOf, topText } from "./profile-text";

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
const LATENESS = {
  records: 2000,
  late: [
    { delay_seconds: 0, share: 0.1 },
    { delay_seconds: 5, share: 0.01 },
    { delay_seconds: 60, share: 0 },
  ],
} as Lateness;

test("values come with their number", () => {
  expect(topText(FIELD, 1203)).toBe("OK (1,200), FAILED (3)");
  expect(topText({ ...FIELD, top: [] }, 9)).toBe("all different");
  expect(topText({ ...FIELD, top: [], distinct: null }, 9)).toBe("–");
});

test("a range of one value is that value", () => {
  expect(rangeText(FIELD)).toBe("FAILED … OK");
  expect(rangeText({ ...FIELD, lowest: 7, highest: 7 })).toBe("7");
});

test("a delay says what it costs and saves", () => {
  expect(delayText(LATENESS, 1)).toBe(
    "Results wait 5 s; up to 1% of the newest 2,000 records would be late.",
  );
  expect(delayText(LATENESS, 2)).toBe("Results wait 1 min; none of the newest 2,000 records would be late.");
  expect(delayText({ ...LATENESS, records: 0 }, 1)).toBe("There are no records to measure.");
});

test("a delay between two stops is the lower one", () => {
  expect([0, 4, 5, 59, 60, 999].map((delay) => stopOf(LATENESS, delay))).toEqual([0, 0, 1, 1, 2, 2]);
  expect(stopOf(LATENESS, null)).toBe(0);
});
