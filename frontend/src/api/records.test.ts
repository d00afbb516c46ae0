import { describe, expect, it } from "vitest";
import { exportAddress } from "./records";

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
