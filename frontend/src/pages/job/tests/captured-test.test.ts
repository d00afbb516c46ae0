import { expect, it } from "vitest";
import { capturedTest, MOST_BATCHES, untilFirstEnd, type LiveRecord } from "./captured-test";
import { modelOf } from "./test-model";

function record(second: number, more: Partial<LiveRecord> = {}): LiveRecord {
  return {
    partition: 0,
    offset: Math.round(second * 1000),
    timestamp: new Date(Date.UTC(2026, 0, 1, 10) + second * 1000).toISOString().replace("Z", "000Z"),
    key: null,
    key_is_text: true,
    value: `{"n":${String(second)}}`,
    value_is_text: true,
    truncated: false,
    headers: [],
    malformed: null,
    ...more,
  };
}

function heartbeat(second: number, said: string | null, more: Partial<LiveRecord> = {}): LiveRecord {
  const headers = [
    { name: "trace", value: "1", value_is_text: true },
    { name: "weir-heartbeat", value: said, value_is_text: true },
  ];
  return record(second, { value: null, headers, ...more });
}

const modelOfCaptured = (found: Record<string, LiveRecord[]>, everyMs: number) =>
  modelOf(capturedTest("live", found, everyMs)?.text ?? "");

it("keeps what the records are, oldest first, and begins at the oldest", () => {
  const model = modelOfCaptured(
    { s: [record(3), record(1, { key: "k" })], t: [record(2, { value: null })] },
    60_000,
  );
  expect(model?.start).toBe("2026-01-01T10:00:01.000000Z");
  const [first, second] = model?.batches[0]?.records["s"] ?? [];
  expect(first).toMatchObject({ key: "k", value: '{"n":1}', arrives: "2026-01-01T10:00:01.000000Z" });
  expect(second).toMatchObject({ key: null, value: '{"n":3}' });
  expect(model?.batches[0]?.records["t"]?.[0]).toMatchObject({ value: null, values: null });
});

it("reads in one batch what arrived within a trigger, over all sources", () => {
  const model = modelOfCaptured(
    { s: [record(0), record(4.9), record(5), record(31)], t: [record(6)] },
    5_000,
  );
  const sizes = model?.batches.map(({ records }) => [records["s"]?.length ?? 0, records["t"]?.length ?? 0]);
  expect(sizes).toEqual([
    [2, 0],
    [1, 1],
    [1, 0],
  ]);
});

it("makes batches longer where there would be too many, and says so", () => {
  const found = { s: Array.from({ length: 400 }, (_, at) => record(at)) };
  const captured = capturedTest("live", found, 1_000);
  expect(captured?.batches).toBeLessThanOrEqual(MOST_BATCHES);
  expect(captured?.everyMs).toBe(7_981);
  expect(capturedTest("live", found, 60_000)).toMatchObject({ batches: 7, everyMs: 60_000 });
});

it("ends where the first source with more records ends", () => {
  const found = { fast: [record(0), record(1)], slow: [record(0.5), record(9)] };
  const until = untilFirstEnd(found, { fast: true, slow: false });
  expect(until).toEqual({ fast: found.fast, slow: [record(0.5)] });
  expect(untilFirstEnd(found, { fast: false, slow: false })).toEqual(found);
});

it("keeps the latest heartbeat of a source and batch, whatever else such a record holds", () => {
  const found = {
    s: [
      record(0),
      heartbeat(1, " 2026-01-01 10:00:09 "),
      heartbeat(2, "2026-01-01T11:00:05+01:00", { key: "k", value_is_text: false, truncated: true }),
    ],
    t: [heartbeat(3, "2026-01-01T10:00:08Z"), heartbeat(70, "2026-01-01T10:01:00Z")],
  };
  expect(modelOfCaptured(found, 60_000)?.batches).toMatchObject([
    {
      heartbeats: { s: "2026-01-01 10:00:09", t: "2026-01-01T10:00:08Z" },
      records: { s: [{ value: '{"n":0}' }] },
    },
    { heartbeats: { t: "2026-01-01T10:01:00Z" }, records: {} },
  ]);
  expect(modelOfCaptured({ t: [heartbeat(1, "2026-01-01")] }, 1_000)?.batches).toMatchObject([
    { heartbeats: { t: "2026-01-01" }, records: {} },
  ]);
});

it("leaves out heartbeats that say no valid time, and takes a header of null for none", () => {
  const malformed = { reason: "TIME_MISSING", detail: "", field: "weir-heartbeat" };
  const model = modelOfCaptured({ s: [heartbeat(1, "soon", { malformed }), heartbeat(2, null)] }, 1_000);
  expect(model?.batches).toMatchObject([{ heartbeats: {}, records: { s: [{ value: null }] } }]);
});

it("leaves out what is not whole, and says when nothing is left", () => {
  const broken = [record(1, { truncated: true }), record(2, { value_is_text: false })];
  expect(capturedTest("live", { s: broken }, 1_000)).toBeNull();
  expect(modelOfCaptured({ s: [...broken, record(3)] }, 1_000)?.batches[0]?.records["s"]).toHaveLength(1);
});

it("keeps the order of each partition, where timestamps are equal and where they go back", () => {
  const found = {
    s: [
      record(1, { offset: 12, value: "c" }),
      record(2, { offset: 11, value: "b" }),
      record(2, { offset: 10, value: "a" }),
      record(1.5, { partition: 1, offset: 7, value: "between" }),
    ],
  };
  const model = modelOfCaptured(found, 60_000);
  const rows = model?.batches[0]?.records["s"] ?? [];
  expect(rows.map(({ value }) => value)).toEqual(["between", "a", "b", "c"]);
  expect(rows[3]).toMatchObject({ arrives: "2026-01-01T10:00:01.000000Z" });
});

it("escapes characters that YAML does not take as they are, and keeps them", () => {
  const value = '{"s": "a\u0080b\u007f\u0085\u2028\ufeff\\u0080"}';
  const captured = capturedTest("live", { s: [record(0, { key: "\u0099", value })] }, 1_000);
  expect(captured?.text).toMatch(/^[\n\x20-\x7e]*$/);
  expect(modelOf(captured?.text ?? "")?.batches[0]?.records["s"]?.[0]).toMatchObject({
    key: "\u0099",
    value,
  });
});
