import { describe, expect, it } from "vitest";
import { exportAddress, slicesOf } from "./records";

describe("an export's address", () => {
  it("asks for what the page shows, as many records as were chosen", () => {
    expect(
      exportAddress(
        "ops",
        { stream: "trades" },
        { from: "newest", partition: 1, key: "a b", key_as: "hex", seconds: 9 },
        "csv",
        5_000,
      ),
    ).toBe(
      "/api/v1/workspaces/ops/streams/trades/export" +
        "?from=newest&partition=1&key=a+b&key_as=hex&format=csv&limit=5000",
    );
  });

  it("is of a topic, too, and leaves out what was not asked", () => {
    expect(
      exportAddress(
        "ops",
        { cluster: "home", topic: "a.b" },
        { from: "offset", partition: null, offset: 0 },
        "jsonl",
        10,
      ),
    ).toBe(
      "/api/v1/workspaces/ops/clusters/home/topics/a.b/export?from=offset&offset=0&format=jsonl&limit=10",
    );
  });
});

describe("slices of an upload", () => {
  const MAX_BODY = 2 * 1024 * 1024;
  const bytesOf = (body: unknown) => new TextEncoder().encode(JSON.stringify(body)).length;

  it.each([
    ["lines of 10 KB", "x".repeat(10_000)],
    ["lines of 10 KB that JSON writes twice as long", '"'.repeat(10_000)],
    ["lines of three bytes a character", "€".repeat(4_000)],
    ["short lines", "{}"],
  ])("fit a request each, and have every record once and in order: %s", (_, text) => {
    const records = Array.from({ length: 1_200 }, (_, number) => ({ line: `${String(number)} ${text}` }));
    const slices = slicesOf(records);
    expect(slices.flatMap(({ records }) => records)).toEqual(records);
    let at = 0;
    for (const slice of slices) {
      expect(slice.at).toBe(at);
      at += slice.records.length;
      expect(slice.records.length).toBeLessThanOrEqual(500);
      const body = { records: slice.records, first_record_number: slice.at + 1 };
      expect(bytesOf(body)).toBeLessThanOrEqual(MAX_BODY);
    }
  });

  it("leave a record that is too large alone, so that the others are written", () => {
    const records = [{ line: "a" }, { line: "x".repeat(3_000_000) }, { line: "b" }];
    expect(slicesOf(records).map(({ records }) => records.length)).toEqual([1, 1, 1]);
    expect(slicesOf([])).toEqual([]);
  });
});
