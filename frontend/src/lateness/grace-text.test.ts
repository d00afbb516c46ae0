import { expect, test } from "vitest";
import type { Lateness } from "../api/types";
import { readOutline } from "../composer/outline";
import { duration } from "../ui/format/durations";
import { graceText, proposalText, proposedGrace, secondsOf, streamsBefore } from "./grace-text";

const LATENESS = {
  records: 2000,
  late: [
    { delay_seconds: 0, share: 0.1 },
    { delay_seconds: 5, share: 0.01 },
    { delay_seconds: 60, share: 0 },
  ],
} as Lateness;

test("rows are late after delay and grace together", () => {
  expect(graceText(LATENESS, 1, 4)).toBe(
    "with a delay of 1 s and a grace period of 4 s, " + "up to 1% of 2,000 sampled records would be late.",
  );
  expect(graceText(LATENESS, 0, 0)).toBe(
    "with a delay of 0 s and no grace period, " + "up to 10% of 2,000 sampled records would be late.",
  );
  expect(graceText(LATENESS, 60, 10)).toContain("none of 2,000 sampled records would be late");
  expect(graceText({ ...LATENESS, records: 0 }, 1, 4)).toBe("There are no records to measure.");
});

test("a grace period is proposed for what the delay leaves", () => {
  const proposing = { ...LATENESS, proposed_seconds: 60 };
  expect(proposedGrace(proposing, 10)).toBe(50);
  expect(proposalText(50, 10)).toBe("A grace period of 50 s keeps late rows at 0.1% or less.");
  expect(proposedGrace(proposing, 90)).toBe(0);
  expect(proposalText(0, 90)).toContain("without a grace period");
  expect(proposedGrace({ ...LATENESS, proposed_seconds: null }, 10)).toBeNull();
  expect(proposalText(null, 10)).toBe("");
});

test.each([
  [7_200, 10, 7_200],
  [7_200, 70, 7_140],
  [90_000, 1, 90_000],
  [86_400, 0.5, 86_400],
  [3_600, 0.1, 3_600],
  [60, 10.3, 50],
  [1.1, 1, 0.1],
])(
  "a grace period of %d s less %d s is as long as its text says, and never shorter",
  (proposed, delay, grace) => {
    const found = proposedGrace({ ...LATENESS, proposed_seconds: proposed }, delay);
    expect(found).toBe(grace);
    expect(secondsOf(duration(grace * 1_000))).toBe(found);
  },
);

test("the streams before a step are those whose rows reach it", () => {
  const reading = readOutline(`name: x
sources: {a: {stream: a}, b: {stream: b}, c: {stream: c}, rates: {table: rates}}
steps:
  named: {op: table_join, input: a, table: rates}
  both: {op: join, left: named, right: b}
  n: {op: aggregate, input: both.late}
outputs: {}
`);
  if ("unsupported" in reading) throw new Error(reading.unsupported);
  expect(streamsBefore(reading.outline, "n").map(({ name }) => name)).toEqual(["a", "b"]);
  expect(streamsBefore(reading.outline, "named").map(({ name }) => name)).toEqual(["a"]);
});

test("durations are read as documents write them", () => {
  expect([secondsOf("1m30s"), secondsOf("250ms"), secondsOf("")]).toEqual([90, 0.25, 0]);
});
