import { expect, it } from "vitest";
import { ApiError } from "./api-error";
import { FOLLOWING_MS, readThrough, whileRunning } from "./job-tests";
import type { JobTestRun } from "./types";

it("a run is asked for until it has ended, or is there no more", () => {
  const running = { state: "running" } as JobTestRun;
  const asked = (data: JobTestRun | undefined, error: unknown = null) =>
    whileRunning({ state: { data, error } });
  expect(asked(undefined)).toBe(FOLLOWING_MS);
  expect(asked(running)).toBe(FOLLOWING_MS);
  expect(asked(running, new ApiError(503, "Busy", ""))).toBe(FOLLOWING_MS);
  expect(asked({ state: "finished" } as JobTestRun)).toBe(false);
  expect(asked(running, new ApiError(404, "Not found", ""))).toBe(false);
});

it("records are read scan by scan, until there are enough or none are left", async () => {
  const pages = [
    { records: [], next: "a" },
    { records: [1, 2], next: "b" },
    { records: [3], next: "c" },
  ];
  const asked: [number, string | null][] = [];
  const read = (limit: number, cursor: string | null) => {
    asked.push([limit, cursor]);
    return Promise.resolve(pages[asked.length - 1] ?? { records: [], next: null });
  };
  expect(await readThrough(read, 3)).toEqual({ records: [1, 2, 3], more: true });
  expect(asked).toEqual([
    [3, null],
    [3, "a"],
    [1, "b"],
  ]);
  expect(await readThrough(read, 3)).toEqual({ records: [], more: false });
});

it("a search that finds nothing ends, and says that there is more", async () => {
  const read = () => Promise.resolve({ records: [], next: "on" });
  expect(await readThrough(read, 3)).toEqual({ records: [], more: true });
});
