import { expect, it } from "vitest";
import { deliveryState, isBelated, isDue, stateOf, untilText } from "./delivery-state";
import { receiver } from "./receiver-example";

const AT = "2026-11-25T10:00:00Z";

it.each([
  ["off, whatever waits", { enabled: false, waiting: 3, attempts: 2 }, "Off"],
  ["away", { waiting: 3, attempts: 2, sent_at: AT }, "Failing"],
  ["the last event was refused", { attempts: 1, sent_at: AT }, "Failed"],
  ["behind", { waiting: 3, sent_at: AT }, "Sending"],
  ["new", {}, "Nothing sent yet"],
  ["all is sent", { sent_at: AT }, "Up to date"],
])("a receiver that is %s", (_, more, word) => {
  expect(deliveryState(receiver(more)).word).toBe(word);
});

it("counts attempts", () => {
  expect(deliveryState(receiver({ waiting: 1, attempts: 1 })).means).toContain("1 failed attempt;");
  expect(deliveryState(receiver({ waiting: 1, attempts: 1200 })).means).toContain("1,200 failed attempts");
});

it("says when it is tried next", () => {
  const [next, now] = [{ next_try_at: AT }, Date.parse(AT)];
  expect([untilText(next, now - 90_000), untilText(next, now - 1)]).toEqual(["In 1 min 30 s", "In 1 s"]);
  expect([untilText(next, now), untilText({ next_try_at: null }, now)]).toEqual(["", ""]);
});

it("is due when the time of the next attempt has come", () => {
  expect(isDue({ next_try_at: null }, Date.parse(AT))).toBe(false);
  expect(isDue({ next_try_at: AT }, Date.parse(AT))).toBe(true);
  expect(isDue({ next_try_at: AT }, Date.parse(AT) - 1)).toBe(false);
});

it("knows an event of a job that ran before its receiver was set", () => {
  expect(isBelated({ at: AT, created_at: "2026-11-25T10:00:59Z" })).toBe(false);
  expect(isBelated({ at: AT, created_at: "2026-11-25T10:01:01Z" })).toBe(true);
});

it("reads a state from the address, and nothing else", () => {
  expect([stateOf("failed"), stateOf(""), stateOf("toString")]).toEqual(["failed", null, null]);
});
