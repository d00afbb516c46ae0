import { expect, test } from "vitest";
import type { Lateness } from "../../../api/types";
import { delayText, stopOf } from "./delay-text";

const LATENESS = {
  records: 2000,
  late: [
    { delay_seconds: 0, share: 0.1 },
    { delay_seconds: 5, share: 0.01 },
    { delay_seconds: 60, share: 0 },
  ],
} as Lateness;

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
