import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { askedAt, isCommandNew, newerThan, pushedNow, rememberCommand, withAskedAt } from "./freshness";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it("takes an answer for newer than a frame that came before it was asked for, and no other", async () => {
  const key = ["jobs", "a test"];
  await vi.advanceTimersByTimeAsync(10);
  const before = pushedNow({});
  await vi.advanceTimersByTimeAsync(10);
  const answer = withAskedAt(key, () => new Promise((done) => setTimeout(done, 500)));
  await vi.advanceTimersByTimeAsync(100);
  const meanwhile = pushedNow({});
  expect(newerThan(before, askedAt(key)), "not answered yet").toBe(before);
  await vi.advanceTimersByTimeAsync(400);
  await answer;
  expect(newerThan(before, askedAt(key))).toBeUndefined();
  expect(newerThan(meanwhile, askedAt(key)), "the answer may be from before").toBe(meanwhile);
});

it("knows for how long the server may not have read a start", async () => {
  rememberCommand("j1");
  expect([isCommandNew("j1"), isCommandNew("j2")]).toEqual([true, false]);
  await vi.advanceTimersByTimeAsync(2_500);
  expect(isCommandNew("j1")).toBe(false);
});
