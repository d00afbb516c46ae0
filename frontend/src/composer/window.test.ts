import { describe, expect, it } from "vitest";
import { explainWindow, readWindow, withKind, withParameter } from "./window";

describe("the window of an aggregate", () => {
  it.each([
    [{ tumbling: { size: "5s" } }, "tumbling", { size: "5s" }],
    [{ hopping: { size: "5s", advance: "1s" } }, "hopping", { size: "5s", advance: "1s" }],
    [{ calendar: { unit: "week", zone: "Europe/Berlin" } }, "calendar", { unit: "week", zone: "Europe/Berlin", day_start: "00:00", week_start: "monday" }],
    [undefined, "none", {}],
    ["none", "none", {}],
  ])("reads %j", (value, kind, parameters) => {
    expect(readWindow(value)).toEqual({ kind, parameters });
  });

  it("keeps the size when the kind changes", () => {
    expect(withKind(readWindow({ tumbling: { size: "7m" } }), "hopping")).toEqual({ hopping: { size: "7m", advance: "10s" } });
    expect(withKind(readWindow({ tumbling: { size: "7m" } }), "session")).toEqual({ session: { gap: "10m" } });
    expect(withKind(readWindow({ tumbling: { size: "7m" } }), "none")).toBeUndefined();
  });

  it("writes what differs from the rule", () => {
    const days = readWindow({ calendar: { unit: "day", zone: "UTC" } });
    expect(withParameter(days, "day_start", "06:00")).toEqual({ calendar: { unit: "day", zone: "UTC", day_start: "06:00" } });
    expect(withParameter(days, "unit", "week")).toEqual({ calendar: { unit: "week", zone: "UTC" } });
  });

  it("explains itself", () => {
    expect(explainWindow(readWindow({ hopping: { size: "5s", advance: "1s" } }))).toBe("Each row counts in 5 windows of 5 s, a new one every 1 s.");
    expect(explainWindow(readWindow({ session: { gap: "x" } }))).toContain("Durations are written");
  });
});
