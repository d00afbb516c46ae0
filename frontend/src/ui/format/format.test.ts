import { describe, expect, it } from "vitest";
import { duration, parseDuration } from "./durations";
import { brief, bytes, count, counted, measured, plain, rate, share } from "./numbers";
import { ago, dayText, utcTime, windowText } from "./times";

describe("numbers", () => {
  it.each([
    [count(1234567), "1,234,567"],
    [count(null), "–"],
    [counted(1, "message"), "1 message"],
    [counted(1200, "message"), "1,200 messages"],
    [measured(38.24), "38.2"],
    [share(1), "100%"],
    [share(0.9999), ">99.9%"],
    [share(0.999), "99.9%"],
    [share(0.001), "0.1%"],
    [share(0.024), "2.4%"],
    [share(0.00001), "<0.1%"],
    [share(0), "0%"],
    [measured(1234.5), "1,235"],
    [rate(0), "0 rows/s"],
    [rate(null), "–"],
    [counted(null, "message"), "–"],
    [bytes(1536), "1.5 KiB"],
    [bytes(5 * 1024 * 1024), "5 MiB"],
    [bytes(1), "1 byte"],
    [bytes(1024 * 1024 - 1), "1 MiB"],
    [bytes(1000 * 1024), "1,000 KiB"],
    [count(-0), "0"],
    [measured(-0), "0"],
    [measured(-38.24), "-38.2"],
    [share(0 / 0), "–"],
    [brief(0.00001234), "1.234E-5"],
    [brief(-0.00001234), "-1.234E-5"],
    [brief(0.12345), "0.1235"],
    [brief(-0), "0"],
    [brief(1.5e300), "1.5E300"],
    [brief(-Infinity), "-∞"],
    [plain(1.5e-9), "1.5E-9"],
    [plain(0.1 + 0.2), "0.3"],
    [plain(1234567.125), "1,234,567.125"],
    [plain(1.7976931348623157e308), "1.797693134862316E308"],
  ])("%s", (shown, expected) => {
    expect(shown).toBe(expected);
  });
});

describe("durations", () => {
  it.each([
    [0, "0 s"],
    [0.25, "0.25 ms"],
    [-0.25, "−0.25 ms"],
    [0.0004, "0.0004 ms"],
    [4.2689, "4.27 ms"],
    [9.999, "10 ms"],
    [80, "80 ms"],
    [100, "0.1 s"],
    [9949, "9.9 s"],
    [9960, "10 s"],
    [59_600, "1 min"],
    [80_000, "1 min 20 s"],
    [7_500_000, "2 h 5 min"],
    [86_400_000 * 3 + 3_600_000 * 4, "3 d 4 h"],
    [-80_000, "−1 min 20 s"],
  ])("%d ms is %s", (ms, expected) => {
    expect(duration(ms)).toBe(expected);
  });

  it("reads a document's durations", () => {
    expect(parseDuration("1h30m")).toBe(5_400_000);
    expect(parseDuration("250ms")).toBe(250);
    for (const text of ["", "soon", "5", "5 x", "1h and 2m"]) expect(parseDuration(text)).toBeNull();
  });
});

describe("what the screen prints", () => {
  it.each([0.25, 4.27, 80, 400, 12_000, 80_000, 1_800_000, 7_500_000, 86_400_000, 273_600_000, -80_000])(
    "%d ms is read again",
    (ms) => {
      expect(parseDuration(duration(ms))).toBe(ms);
    },
  );
});

describe("times", () => {
  it("says how long ago, and never minus a second", () => {
    expect(ago(new Date(1000), 3500)).toBe("2 s ago");
    expect(ago(new Date(4000), 3500)).toBe("just now");
  });

  it("writes windows without seconds that tell nothing", () => {
    const at = (hour: number, minute: number, second = 0) => new Date(2013, 1, 16, hour, minute, second);
    expect(windowText(at(6, 30), at(7, 30))).toBe("16 Feb 2013 06:30–07:30");
    expect(windowText(at(6, 30), at(6, 30, 5), at(9, 0))).toBe("06:30:00–06:30:05");
    const [half, one] = [new Date(at(6, 30).getTime() + 500), at(6, 30, 1)];
    expect(windowText(half, one, at(9, 0))).toBe("06:30:00.500–06:30:01.000");
    expect(windowText(at(23, 30), new Date(2013, 1, 17, 0, 30), at(9, 0))).toBe("23:30–17 Feb 2013 00:30");
  });

  it("shows UTC with milliseconds", () => {
    expect(dayText(new Date(2026, 10, 21))).toBe("21 Nov 2026");
    expect(utcTime(new Date(0))).toBe("1970-01-01 00:00:00.000 UTC");
  });
});
