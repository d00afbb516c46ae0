import { describe, expect, it } from "vitest";
import { ApiError, toApiError } from "./api-error";
import { exportAddress, produceAll, slicesOf } from "./records";
import type { Produced } from "./uploads";

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

describe("an upload that fails", () => {
  const place = (offset: number) => ({ partition: 0, offset });
  const partly = (written: (object | null)[], unsure: number[]) =>
    toApiError(503, { code: "PARTLY_WRITTEN", detail: "Kafka refused one.", written, unsure });

  /** The last that is told of an upload of so many records, of which those from `at` fail. */
  async function toldOf(records: number, at: number, error: ApiError): Promise<Produced | undefined> {
    let told: Produced | undefined;
    const sent = produceAll(
      Array.from({ length: records }, (_, index) => ({ value: index })),
      (part, firstNumber) =>
        firstNumber > at
          ? Promise.reject(error)
          : Promise.resolve(part.map((_, index) => place(firstNumber + index))),
      (done) => {
        told = done;
      },
    );
    await expect(sent).rejects.toBe(error);
    return told;
  }

  it("counts what was written of the request that failed, and names the rest", async () => {
    const told = await toldOf(3, 0, partly([place(7), null, null], []));
    expect(told).toEqual({ written: 1, of: 3, last: place(7), missing: [1, 2], unsure: [] });
  });

  it("does so in a later request, too, and separates what may have been written", async () => {
    const written = Array.from({ length: 500 }, (_, index) => (index < 497 ? place(index) : null));
    const told = await toldOf(1_002, 500, partly(written, [498]));
    expect(told).toEqual({
      written: 997,
      of: 1_002,
      last: place(496),
      missing: [997, 999, 1_000, 1_001],
      unsure: [998],
    });
  });

  it.each([
    ["nobody answered", new ApiError(0, "Can't reach Weir", ""), [], [0, 1]],
    ["the server failed", new ApiError(500, "Internal error", ""), [], [0, 1]],
    ["Kafka was down before", new ApiError(503, "", "", "BROKER_UNREACHABLE"), [0, 1], []],
    ["it was too much at once", new ApiError(429, "", "", "TOO_MANY_REQUESTS"), [0, 1], []],
    ["it was refused", new ApiError(422, "", "", "RECORD_MALFORMED"), [0, 1], []],
  ])("knows what is not known where %s", async (_, error, missing, unsure) => {
    expect(await toldOf(2, 0, error)).toEqual({ written: 0, of: 2, last: null, missing, unsure });
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
