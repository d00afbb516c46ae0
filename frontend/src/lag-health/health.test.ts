import { describe, expect, test } from "vitest";
import { lagTime, lossNote, healthNote, type Judged } from "./health";

const NOW = Date.parse("2026-01-01T00:10:00Z");
const FINE: Judged = {
  health: "fine",
  since: null,
  in_rate: 10,
  out_rate: 10,
  catch_up_s: null,
  loss_s: null,
  lost_records: 0,
};
const of = (change: Partial<Judged> = {}): Judged => ({ ...FINE, ...change });

describe("a health in words", () => {
  test("says why and since when", () => {
    const stopped = of({ health: "stopped", cause: "no_members", since: "2026-01-01T00:05:00Z" });
    expect(healthNote(stopped, NOW)).toBe("no members for 5 min");
    expect(healthNote(of({ health: "stopped", since: "2026-01-01T00:05:00Z" }), NOW)).toBe(
      "nothing read for 5 min",
    );
  });
  test("says how fast, and until when", () => {
    const falling = { health: "falling_behind", in_rate: 200, out_rate: 80 } as const;
    expect(healthNote(of(falling), NOW)).toBe("by 120 records/s");
    expect(healthNote(of({ health: "catching_up", catch_up_s: 90 }), NOW)).toBe("~1 min 30 s left");
    expect(healthNote(of({ health: "losing", lost_records: 1 }), NOW)).toBe("1 record lost");
    expect(healthNote(of(), NOW)).toBe("");
  });
  test("counts down to loss where there is a risk", () => {
    expect(lossNote(of())).toBeNull();
    expect(lossNote(of({ loss_s: 3_600 }))).toEqual({ text: "1 h", tone: "bad" });
    expect(lossNote(of({ loss_s: 200_000 }))?.tone).toBe("warn");
  });
  test("never claims more than is known", () => {
    expect(lagTime(90, "at_least")).toBe("> 1 min 30 s");
    expect(lagTime(null, "")).toBe("–");
  });
});
