import { describe, expect, it } from "vitest";
import {
  explainWindow,
  parameterText,
  readWindow,
  shownParameters,
  withKind,
  withParameter,
} from "./window-choice";

const names = (value: unknown) => shownParameters(readWindow(value)).map(({ name }) => name);

describe("the window of an aggregate", () => {
  it.each([
    [{ tumbling: { size: "5s" } }, "tumbling", ["size", "offset"]],
    [{ hopping: { size: "5s", advance: "1s" } }, "hopping", ["size", "advance", "offset"]],
    [
      { calendar: { unit: "week", zone: "Europe/Berlin" } },
      "calendar",
      ["unit", "zone", "day_start", "week_start"],
    ],
    [{ calendar: { unit: "day", zone: "Europe/Berlin" } }, "calendar", ["unit", "zone", "day_start"]],
    [undefined, "none", []],
    ["none", "none", []],
    [{ tumbling: null }, "tumbling", ["size", "offset"]],
  ])("reads %j", (value, kind, shown) => {
    expect(readWindow(value).kind).toBe(kind);
    expect(names(value)).toEqual(shown);
  });

  it("shows what is written and nothing that is not", () => {
    expect(parameterText(readWindow({ tumbling: { size: "", offset: "4d" } }), "offset")).toBe("4d");
    expect(parameterText(readWindow({ tumbling: { size: "" } }), "size")).toBe("");
    expect(parameterText(readWindow({ tumbling: { size: "5s" } }), "offset")).toBe("");
  });

  it("keeps size and offset when the kind changes to one that has them", () => {
    expect(withKind(readWindow({ tumbling: { size: "7m", offset: "1m" } }), "hopping")).toEqual({
      hopping: { size: "7m", advance: "10s", offset: "1m" },
    });
    expect(withKind(readWindow({ hopping: { size: "7m", advance: "1m", offset: "1s" } }), "sliding")).toEqual(
      { sliding: { size: "7m" } },
    );
    expect(withKind(readWindow({ tumbling: { size: "7m" } }), "session")).toEqual({
      session: { gap: "10m" },
    });
    expect(withKind(readWindow({ tumbling: { size: "7m" } }), "none")).toBeUndefined();
  });

  it("changes one parameter and leaves the others alone", () => {
    expect(withParameter(readWindow({ tumbling: { size: "7d", offset: "4d" } }), "size", "14d")).toEqual({
      tumbling: { size: "14d", offset: "4d" },
    });
    expect(
      withParameter(readWindow({ hopping: { size: "1h", advance: "5m", offset: "30s" } }), "advance", "10m"),
    ).toEqual({ hopping: { size: "1h", advance: "10m", offset: "30s" } });
    expect(withParameter(readWindow({ session: { gap: "1m", unheard_of: 3 } }), "gap", "2m")).toEqual({
      session: { gap: "2m", unheard_of: 3 },
    });
  });

  it("writes what differs from the rule", () => {
    const days = readWindow({ calendar: { unit: "day", zone: "UTC" } });
    expect(withParameter(days, "day_start", "06:00")).toEqual({
      calendar: { unit: "day", zone: "UTC", day_start: "06:00" },
    });
    expect(
      withParameter(
        readWindow({ calendar: { unit: "week", zone: "UTC", week_start: "sunday" } }),
        "unit",
        "day",
      ),
    ).toEqual({ calendar: { unit: "day", zone: "UTC" } });
    expect(withParameter(readWindow({ tumbling: { size: "1m", offset: "5s" } }), "offset", "")).toEqual({
      tumbling: { size: "1m" },
    });
    expect(withParameter(readWindow({ tumbling: { size: "1m" } }), "size", "")).toEqual({
      tumbling: { size: "" },
    });
  });

  it("explains itself", () => {
    expect(explainWindow(readWindow({ hopping: { size: "5s", advance: "1s" } }))).toBe(
      "Each row falls into 5 windows of 5 s; one starts every 1 s.",
    );
    expect(explainWindow(readWindow({ hopping: { size: "5m", advance: "5m" } }))).toBe(
      "Each row falls into 1 window of 5 min; one starts every 5 min.",
    );
    expect(explainWindow(readWindow({ tumbling: { size: "7d", offset: "4d" } }))).toBe(
      "Each row falls into one window of 7 d. Windows start 4 d after each full interval.",
    );
    expect(explainWindow(readWindow({ session: { gap: "x" } }))).toContain("Enter a duration");
  });
});
