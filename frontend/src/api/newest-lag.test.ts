import { describe, expect, it } from "vitest";
import type { LagFrame } from "../live/frames";
import { isFresh, newerFrame, withFrame } from "./newest-lag";
import type { JobLag } from "./types";

const AT = Date.UTC(2026, 0, 1, 10);
const FRAME = {
  ...{ op: "lag", id: 1, at_us: AT * 1000, sources: {}, watermark_us: 7, rows_per_second: 2 },
  ...{ state_rows: null, state_bytes: null },
} as const satisfies LagFrame;
const stored = (at: number) =>
  ({ at: new Date(at).toISOString(), watermark_us: 5, given: { s: 1 } }) as unknown as JobLag;

describe("the newest lag", () => {
  it("is what was pushed, until what is stored is newer", () => {
    expect(newerFrame(stored(AT - 1_000), FRAME)).toBe(FRAME);
    expect(newerFrame(stored(AT), FRAME)).toBe(FRAME);
    expect(newerFrame(stored(AT + 1_000), FRAME)).toBeNull();
    expect(newerFrame({ at: null }, FRAME)).toBe(FRAME);
    expect(newerFrame(undefined, FRAME)).toBe(FRAME);
  });

  it("has the time of what it shows", () => {
    const before = stored(AT - 1_000);
    expect(withFrame(before, FRAME)).toMatchObject({
      at: "2026-01-01T10:00:00.000Z",
      watermark_us: 7,
      given: {},
    });
    expect(withFrame(before, null)).toBe(before);
  });

  it("is fresh for half a minute, pushed or stored", () => {
    const pushed = withFrame(stored(AT - 60_000), FRAME);
    expect([isFresh(pushed, AT + 29_000), isFresh(pushed, AT + 31_000)]).toEqual([true, false]);
    expect(isFresh({ at: null }, AT)).toBe(false);
  });
});
