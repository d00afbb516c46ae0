import { expect, test } from "vitest";
import { aligned, draggedRange, lengths, movedEnd, parseRange, rangeQuery, typedEnd } from "./range";

function history(resolution_s: number, ...at: readonly number[]) {
  return { resolution_s, at: at.map((seconds) => new Date(seconds * 1000).toISOString()) };
}

test("yesterday is laid under today, also where it was measured less often", () => {
  const before = history(60, 0, 60, 180);
  expect(aligned([1000, 1010, 1059, 1060, 1130, 1180, 1240], before, 1000, [5, 7, 9])).toEqual([
    5,
    5,
    5,
    7,
    null,
    9,
    null,
  ]);
  expect(aligned([1, 2], history(60), 0, [])).toEqual([null, null]);
});

test("a range comes from the address, and nonsense is the last hour", () => {
  expect(parseRange("360", "2026-11-24T10:00:00Z", "1440")).toEqual({
    minutes: 360,
    until: "2026-11-24T10:00:00.000Z",
    ago: 1440,
  });
  for (const minutes of ["", "x", "-5", "0", "99999999"])
    expect(parseRange(minutes, "soon", "7")).toEqual({ minutes: 60, until: null, ago: 0 });
});

test("only a range that moves on is asked for without its end", () => {
  const now = Date.parse("2026-11-25T03:00:00Z");
  expect(rangeQuery({ minutes: 60, until: null, ago: 0 }, now)).toEqual({ minutes: 60 });
  expect(rangeQuery({ minutes: 60, until: null, ago: 1440 }, now).until).toBe("2026-11-24T03:00:00.000Z");
  expect(rangeQuery({ minutes: 60, until: "2026-11-25T02:00:00Z", ago: 0 }, now).until).toBe(
    "2026-11-25T02:00:00.000Z",
  );
});

test("a range moves by its own length, and back to the present", () => {
  const now = Date.parse("2026-11-25T03:00:00Z");
  const before = movedEnd({ minutes: 60, until: null, ago: 0 }, -1, now);
  expect(before).toBe("2026-11-25T02:00:00.000Z");
  expect(movedEnd({ minutes: 60, until: before, ago: 0 }, 1, now)).toBeNull();
});

test("what is dragged is a range to the minute, which can be chosen again", () => {
  expect(draggedRange(1000, 1090)).toEqual({ minutes: 2, until: "1970-01-01T00:18:10.000Z" });
  expect(lengths(2)[0]).toEqual({ value: "2", label: "2 min" });
  expect(lengths(60)).toHaveLength(5);
});

test("an end that is still being typed is none", () => {
  for (const text of ["", "0002-11-26T10:00", "0202-11-26T10:00", "12026-11-26T10:00", "x"])
    expect(typedEnd(text)).toBeUndefined();
  expect(typedEnd("2026-11-26T10:00")).toBe(new Date(2026, 10, 26, 10).toISOString());
});
