import { expect, test } from "vitest";
import { noRowsText } from "./no-rows-text";

const lag = (records: number) => ({ records }) as Parameters<typeof noRowsText>[0]["lag"];

test("before the first report the lag is unknown", () => {
  expect(noRowsText({ rows_per_second: 0, lag: null })).toContain("lag isn't known yet");
});

test("says how many records are left to read, and whether any are read", () => {
  expect(noRowsText({ rows_per_second: 0, lag: lag(6_241) })).toMatch(/^6,241 records to read/);
  expect(noRowsText({ rows_per_second: 0, lag: lag(0) })).toContain("Caught up");
  expect(noRowsText({ rows_per_second: 12, lag: lag(0) })).toContain("filtered out, malformed or late");
});
