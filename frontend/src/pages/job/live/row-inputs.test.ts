import { expect, test } from "vitest";
import type { RowInputs, RowSource } from "../../../api/types";
import { longTime, windowText } from "../../../ui/format/times";
import { claimText, rowTitle, scannedText, soughtText } from "./row-inputs-text";

const source: RowSource = {
  source: "trades",
  stream: "trades",
  is_table: false,
  state: "read",
  detail: "",
  bounds: [],
  records: [],
  total: 0,
  read: 1_200,
  complete: true,
  expired: false,
  oldest: null,
  unreadable: 0,
};
const found: RowInputs = {
  key: ["A"],
  value: {},
  partial: false,
  newest_input: "2026-01-01T10:00:00.000000Z",
  version: 1,
  output: "live",
  known: true,
  exact: true,
  doubts: [],
  sources: [source],
};

test("an exact trace says so, and nothing else does", () => {
  expect(claimText(found)).toBe("These records, and no others, made this row.");
  expect(claimText({ ...found, exact: false, known: false })).toContain("Unknown");
  expect(claimText({ ...found, exact: false, sources: [{ ...source, expired: true }] })).toContain(
    "no longer keeps",
  );
  expect(claimText({ ...found, exact: false, sources: [{ ...source, complete: false }] })).toContain(
    "older ones were not looked for",
  );
  expect(claimText({ ...found, exact: false, sources: [{ ...source, state: "unreachable" }] })).toContain(
    "can't be read",
  );
  expect(claimText({ ...found, exact: false, doubts: [{ step: "once", reason: "it holds" }] })).toContain(
    "maybe not from all",
  );
});

test("what was looked for is said by key and window, or by place", () => {
  const bounds = { equal: { symbol: "A" }, from: "10:00", until: "10:05", partition: null, offset: null };
  expect(soughtText({ ...source, bounds: [bounds] })).toBe(
    'symbol = "A", event time from 10:00, event time before 10:05',
  );
  const place = { equal: {}, from: null, until: null, partition: 1, offset: 7 };
  expect(soughtText({ ...source, bounds: [place] })).toBe("partition 1, offset 7");
});

test("bounds are in the reader's zone where that loses nothing", () => {
  const bounds = {
    equal: {},
    from: "2026-01-01T10:00:00.000000Z",
    until: "2026-01-01T10:05:00.000001Z",
    partition: null,
    offset: null,
  };
  expect(soughtText({ ...source, bounds: [bounds] })).toBe(
    `event time from ${longTime(new Date(bounds.from))}, event time before 2026-01-01T10:05:00.000001Z`,
  );
});

test("a row is named by its window and its key", () => {
  const names = ["window_start", "window_end", "symbol"];
  const [start, end] = ["2026-01-01T10:00:00.000000Z", "2026-01-01T10:05:00.000000Z"];
  const window = windowText(new Date(start), new Date(end));
  expect(rowTitle(names, JSON.stringify([start, end, "A"]))).toBe(`${window} · A`);
  expect(rowTitle(["at", "n", "none"], JSON.stringify([start, 5, null]))).toBe(
    `${longTime(new Date(start))} · 5 · null`,
  );
  expect(rowTitle([], "[]")).toBe("the only row");
});

test("a row that an address names wrongly is named by what stands there", () => {
  for (const text of ["[", "abc", "1", '{"a": 1}']) expect(rowTitle(["symbol"], text)).toBe(text);
});

test("how far a source was looked through", () => {
  expect(scannedText(source)).toBe("Looked through 1,200 records; all that Kafka has of it.");
  expect(scannedText({ ...source, complete: false })).toContain("older ones were not looked through");
  expect(scannedText({ ...source, expired: true })).toContain("no longer in Kafka");
  expect(scannedText({ ...source, state: "recreated" })).toContain("recreated");
});
