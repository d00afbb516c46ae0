import { describe, expect, it } from "vitest";
import type { LogLine } from "../../../api/types";
import { fileName, lineText, logText, merged, passes, readLevel, shortLogger } from "./log-lines";
import { lineTime } from "./line-time";

function line(number: number, more: Partial<LogLine> = {}): LogLine {
  return {
    id: `a-${String(number)}`,
    at: `2026-01-01T10:00:${String(number).padStart(2, "0")}.000000Z`,
    level: "info",
    origin: "engine",
    logger: "jobs.engine.query_starter",
    message: `line ${String(number)}`,
    detail: "",
    epoch: 1,
    engine: "shared-1",
    ...more,
  };
}

const names = (lines: readonly LogLine[]) => lines.map(({ id }) => id);

describe("stored and live lines together", () => {
  it("are shown once each, the oldest first", () => {
    const stored = [line(3), line(2), line(1)];
    expect(names(merged(stored, [line(3), line(4)], {}, true))).toEqual(["a-1", "a-2", "a-3", "a-4"]);
  });

  it("of one instant keep the order in which they were written", () => {
    const at = "2026-01-01T10:00:00.000000Z";
    const stored = [line(10, { at }), line(9, { at })];
    expect(names(merged(stored, [line(11, { at })], {}, true))).toEqual(["a-9", "a-10", "a-11"]);
  });

  it("leave out live ones that are older than the pages reach", () => {
    const stored = [line(9), line(8)];
    expect(names(merged(stored, [line(3), line(10)], {}, false))).toEqual(["a-8", "a-9", "a-10"]);
    expect(names(merged(stored, [line(3)], {}, true))).toEqual(["a-3", "a-8", "a-9"]);
  });

  it("pass the filter of the server", () => {
    const live = [
      line(1),
      line(2, { level: "warning", message: "Kafka is away" }),
      line(3, { level: "error", detail: "java.lang.Boom" }),
    ];
    expect(names(merged([], live, { level: "warning" }, true))).toEqual(["a-2", "a-3"]);
    expect(names(merged([], live, { q: "kafka" }, true))).toEqual(["a-2"]);
    expect(names(merged([], live, { q: "LANG.boom" }, true))).toEqual(["a-3"]);
    expect(names(merged([], live, { q: "query_starter", level: "error" }, true))).toEqual(["a-3"]);
    expect(passes(line(1), {})).toBe(true);
  });
});

describe("lines as text", () => {
  it("have the error below them", () => {
    const broken = line(3, { level: "error", message: "it broke", detail: "Boom\n\tat x\n" });
    expect(logText([line(2), broken])).toBe(
      "2026-01-01T10:00:02.000000Z INFO    jobs.engine.query_starter: line 2\n" +
        "2026-01-01T10:00:03.000000Z ERROR   jobs.engine.query_starter: it broke\n    Boom\n    \tat x\n",
    );
    expect(lineText(line(1))).not.toContain("\n");
  });

  it("have a time to the millisecond, with the day when it is another", () => {
    const at = new Date(2026, 0, 1, 10, 0, 2, 45);
    expect(lineTime(at, at)).toBe("10:00:02.045");
    expect(lineTime(at, new Date(2026, 0, 2))).toBe("01 Jan 2026, 10:00:02.045");
    expect(lineTime(null)).toBe("–");
  });

  it("go into a file that every system takes", () => {
    expect(fileName("stats: a/b", 3)).toBe("stats-a-b-generation-3.log");
    expect(fileName("stats", undefined)).toBe("stats.log");
  });
});

it("reads what an address says", () => {
  expect(readLevel("error")).toBe("error");
  expect(readLevel("loud")).toBe("info");
  expect(shortLogger("org.apache.spark.executor.Executor")).toBe("Executor");
  expect(shortLogger("root")).toBe("root");
});
