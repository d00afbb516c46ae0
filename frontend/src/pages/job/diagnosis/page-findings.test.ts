import { expect, test } from "vitest";
import { NOTHING_HIDDEN, pageFindings, RECENT_MS, type PageState } from "./page-findings";

const NOW = Date.UTC(2026, 10, 25, 12);

function codes(state: Partial<PageState>): string[] {
  return pageFindings({ ...NOTHING_HIDDEN, ...state }, NOW).map(({ code }) => code);
}

test.each<[string, Partial<PageState>, string[]]>([
  ["a page that hides nothing", {}, []],
  ["a paused page", { paused: true, pending: 3 }, ["HIDDEN_BY_PAGE"]],
  ["keys that no row has", { chosen: ["S9"], keys: ["S1", "S2"] }, ["HIDDEN_BY_PAGE"]],
  ["keys of which one has rows", { chosen: ["S9", "S1"], keys: ["S1", "S2"] }, []],
  ["keys before any row has come", { chosen: ["S9"], keys: [] }, []],
  ["updates that were left out", { conflated: 12 }, ["CONFLATED"]],
  ["a connection that was ended just now", { overloadedAt: NOW - 1_000 }, ["VIEWER_SLOW"]],
  ["a connection that was ended long ago", { overloadedAt: NOW - RECENT_MS }, []],
])("%s", (_, state, expected) => {
  expect(codes(state)).toEqual(expected);
});

test("what is hidden has its numbers", () => {
  const [paused] = pageFindings({ ...NOTHING_HIDDEN, paused: true, pending: 3 }, NOW);
  expect(paused?.facts).toEqual([{ label: "Rows changed since the pause", kind: "count", value: 3 }]);
  const [slow] = pageFindings({ ...NOTHING_HIDDEN, overloadedAt: NOW - 1_000 }, NOW);
  expect(slow?.facts[0]).toMatchObject({ kind: "instant", value: "2026-11-25T11:59:59.000Z" });
});
