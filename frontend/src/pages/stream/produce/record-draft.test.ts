import { describe, expect, it } from "vitest";
import type { Contract } from "../../../api/types";
import { emptyRecord, isStructured, keyWays, recordOf, valueWays } from "./record-draft";

const fields = [
  { name: "id", type: "long" },
  { name: "at", type: "timestamp" },
];
const of = (encoding: unknown, more: Partial<Contract> = {}): Contract => ({ fields, encoding, ...more });
const NOW = new Date("2026-01-31T10:00:00Z");

describe("a record by hand", () => {
  it("is JSON for the server where bytes must be made, and a text otherwise", () => {
    expect(
      [
        of({ format: "avro", subject: "s" }),
        of({ format: "json", framing: "confluent" }),
        of({ format: "debezium", inner: { format: "avro", subject: "s" } }),
      ].map(isStructured),
    ).toEqual([true, true, true]);
    expect(
      [of({ format: "json" }), of({ format: "csv" }), of({ format: "debezium" }), of(undefined)].map(
        isStructured,
      ),
    ).toEqual([false, false, false, false]);
    expect(valueWays(of({ format: "avro", subject: "s" })).map(({ value }) => value)).toEqual([
      "json",
      "base64",
      "null",
    ]);
    expect(keyWays(of({ format: "json" }, { key: ["id"] }))[0]?.value).toBe("fields");
  });

  it("keeps every digit that was typed", () => {
    const draft = {
      ...emptyRecord(of({ format: "avro", subject: "s" }), NOW),
      value: '{"id": 1152921504606846977}',
    };
    expect(recordOf(draft)).toEqual({ value_json: '{"id": 1152921504606846977}' });
  });

  it("has headers, a partition, bytes and nulls", () => {
    const draft = {
      ...emptyRecord(of({ format: "json" }), NOW),
      valueAs: "null" as const,
      key: "AA==",
      keyAs: "base64" as const,
      partition: 1,
      headers: [
        { name: "a", value: "1", as: "text" as const },
        { name: "b", value: "/w==", as: "base64" as const },
        { name: "c", value: "", as: "null" as const },
        { name: "", value: "", as: "text" as const },
        { name: "", value: "2", as: "text" as const },
        { name: "", value: "", as: "null" as const },
      ],
    };
    expect(recordOf(draft)).toEqual({
      value: null,
      key_base64: "AA==",
      partition: 1,
      headers: [
        { name: "a", value: "1" },
        { name: "b", value_base64: "/w==" },
        { name: "c", value: null },
        { name: "", value: "2" },
        { name: "", value: null },
      ],
    });
  });

  it("begins with the stream's own fields, the key's apart, and an envelope for change events", () => {
    expect(emptyRecord(of({ format: "debezium" }, { key: ["id"] }), NOW)).toMatchObject({
      key: '{"id":1}',
      keyAs: "fields",
    });
    expect(JSON.parse(emptyRecord(of({ format: "debezium" }), NOW).value)).toEqual({
      op: "c",
      before: null,
      after: { id: 1, at: "2026-01-31T10:00:00.000Z" },
      ts_ms: NOW.getTime(),
    });
    expect(emptyRecord(of({ format: "csv", delimiter: ";" }), NOW).value).toBe("1;2026-01-31T10:00:00.000Z");
  });

  it("begins with samples where the contract reads them", () => {
    const nested = [
      { name: "id", type: "long", path: ["user", "user-id"] },
      { name: "user", type: "struct<name:string>" },
      { name: "second", type: "string", path: ["tags", 1, "name"] },
      { name: "raw", type: "bytes" },
    ];
    expect(JSON.parse(emptyRecord(of({ format: "json" }, { fields: nested }), NOW).value)).toEqual({
      user: { "user-id": 1 },
      tags: [null, { name: "text" }],
      raw: "AA==",
    });
    expect(JSON.parse(emptyRecord(of({ format: "debezium" }, { fields: nested }), NOW).value)).toMatchObject({
      after: { user: { "user-id": 1 }, raw: "AA==" },
    });
  });

  it("begins with a line of all its columns", () => {
    const line = (encoding: object, more: Partial<Contract> = {}) =>
      emptyRecord(of({ format: "csv", ...encoding }, more), NOW).value;
    const named = [
      { name: "time", type: "date", path: ["Time"] },
      { name: "again", type: "date", path: ["Time"] },
      { name: "id", type: "long" },
    ];
    expect(line({ columns: ["id", "other", "Time"] }, { fields: named })).toBe("1,,2026-01-31");
    expect(line({}, { fields: named })).toBe("2026-01-31,1");
    expect(line({ delimiter: ":" })).toBe('1:"2026-01-31T10:00:00.000Z"');
  });
});
