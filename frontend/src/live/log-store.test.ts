import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { LogLine } from "../api/types";
import type { Frame } from "./frames";
import { LogStore, MAX_LINES } from "./log-store";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function frame(run: string, numbers: number[], dropped = 0): Frame {
  return { op: "log", id: 1, run, dropped, lines: numbers.map((n) => ({ id: `a-${String(n)}` }) as LogLine) };
}

function shown(store: LogStore, run: string): string[] {
  vi.advanceTimersByTime(200);
  return (store.get().lines.get(run) ?? []).map(({ id }) => id);
}

it("keeps each line once, by run", () => {
  const store = new LogStore(() => false);
  store.apply(frame("one", [1, 2]));
  store.apply(frame("two", [3]));
  store.apply(frame("one", [2, 4]));
  expect(shown(store, "one")).toEqual(["a-1", "a-2", "a-4"]);
  expect(shown(store, "two")).toEqual(["a-3"]);
});

it("keeps the newest lines", () => {
  const store = new LogStore(() => false);
  const many = Array.from({ length: MAX_LINES + 5 }, (_, n) => n);
  store.apply(frame("one", many));
  expect(shown(store, "one")).toHaveLength(MAX_LINES / 2);
  expect(shown(store, "one").at(-1)).toBe(`a-${String(MAX_LINES + 4)}`);
  expect(store.get().gaps).toBe(1);
  store.apply(frame("one", [MAX_LINES + 5]));
  expect(shown(store, "one")).toHaveLength(MAX_LINES / 2 + 1);
  expect(store.get().gaps).toBe(1);
});

it("knows when lines may be missing: after a reconnect, and when some were dropped", () => {
  const store = new LogStore(() => false);
  const subscribed: Frame = { op: "subscribed", id: 1, channel: "logs/j", generation: 1 };
  store.apply(subscribed);
  vi.advanceTimersByTime(200);
  expect(store.get().gaps).toBe(0);
  store.apply(subscribed);
  vi.advanceTimersByTime(200);
  expect(store.get().gaps).toBe(1);
  store.apply(frame("one", [1], 7));
  vi.advanceTimersByTime(200);
  expect(store.get().gaps).toBe(2);
});
