import { expect, test } from "vitest";
import { noRowsText } from "./no-rows-text";

const lag = (records: number) => ({ records }) as Parameters<typeof noRowsText>[0]["lag"];

test("nothing is said of an input of which nothing was heard", () => {
  expect(noRowsText({ rows_per_second: 0, lag: null })).toContain("not known yet");
});

test("input that waits is counted, and one that is read says so", () => {
  expect(noRowsText({ rows_per_second: 0, lag: lag(6_241) })).toMatch(/^6,241 records of its input wait/);
  expect(noRowsText({ rows_per_second: 0, lag: lag(0) })).toContain("read all of its input");
  expect(noRowsText({ rows_per_second: 12, lag: lag(0) })).toContain("filtered out, malformed or late");
});
