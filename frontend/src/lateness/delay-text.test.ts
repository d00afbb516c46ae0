import { expect, test } from "vitest";
import type { Lateness } from "../api/types";
import { basisText, delayText, refusalText, stopOf } from "./delay-text";

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
    "Results wait 5 s (delay and grace together); up to 1% of 2,000 sampled records would be late; " +
      "180 fewer than without waiting.",
  );
  expect(delayText(LATENESS, 2)).toBe(
    "Results wait 1 min (delay and grace together); none of 2,000 sampled records would be late; " +
      "200 fewer than without waiting.",
  );
  expect(delayText({ ...LATENESS, records: 0 }, 1)).toBe("There are no records to measure.");
});

test("a delay between two stops is the lower one", () => {
  expect([0, 4, 5, 59, 60, 999].map((delay) => stopOf(LATENESS, delay))).toEqual([0, 0, 1, 1, 2, 2]);
  expect(stopOf(LATENESS, null)).toBe(0);
});

test("the span is said, and why nothing is proposed", () => {
  const short = { ...LATENESS, slices: 3, span_seconds: 4, min_span_seconds: 600, proposed_seconds: null };
  expect(basisText(short)).toBe("Measured on 2,000 records at 3 places over 4 s (Kafka timestamps).");
  expect(refusalText(short)).toContain("too short to propose a delay: it takes 10 min");
  expect(refusalText({ ...short, span_seconds: 900 })).toContain("No delay up to a week");
  expect(refusalText({ ...short, proposed_seconds: 5 })).toBe("");
});
