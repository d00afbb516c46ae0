import { expect, test } from "vitest";
import { MAX_RECORDS, NEWEST, missing, requested } from "./choices";

test("a source without a choice gives its newest records", () => {
  expect(requested(["ticks"], {})).toMatchObject({ ticks: { kind: "newest", records: 200 } });
});

test("only what a kind needs is asked for", () => {
  const choice = { ...NEWEST, time: "2026-01-01T10:00:00Z", key: "A", lines: "{}" };
  expect(
    requested(["a", "b", "c"], {
      a: { ...choice, kind: "time" },
      b: { ...choice, kind: "key" },
      c: { ...choice, kind: "lines" },
    }),
  ).toMatchObject({
    a: { kind: "time", records: 200, time_ms: 1_767_261_600_000, key: "", lines: "" },
    b: { kind: "key", records: 200, key: "A", key_as: "auto", lines: "" },
    c: { kind: "lines", lines: "{}", key: "" },
  });
});

test("a number of records is within the limits of the server", () => {
  const asked = (records: number) => requested(["a"], { a: { ...NEWEST, records } })["a"]?.records;
  expect([asked(0), asked(-3), asked(1e9), asked(NaN), asked(2.4)]).toEqual([1, 1, MAX_RECORDS, 1, 2]);
});

test("a choice says what it lacks", () => {
  expect(missing({ ...NEWEST, kind: "time", time: "soon" })).toMatch("date and time");
  expect(missing({ ...NEWEST, kind: "key" })).toMatch("key");
  expect(missing({ ...NEWEST, kind: "lines", lines: " \n" })).toMatch("record");
  expect(missing(NEWEST)).toBeNull();
});
