import { expect, test } from "vitest";
import type { Run } from "../../../api/types";
import { startPhases } from "./start-phases";

const NONE: Run["phases_ms"] = {
  noticed: null,
  placed: null,
  engine_ready: null,
  received: null,
  planned: null,
  queries_started: null,
  first_batch: null,
  caught_up: null,
};

function run(phases: Partial<Run["phases_ms"]>, interrupted_at: string | null = null): Run {
  return {
    id: "r",
    generation: 1,
    epoch: 2,
    version: 1,
    mode: "realtime",
    engine: "shared-1",
    started_at: "2026-11-25T10:00:00Z",
    ended_at: null,
    state: "running",
    end_reason: "",
    failure: null,
    phases_ms: { ...NONE, ...phases },
    state_load_ms: null,
    interrupted_at,
  };
}

test("each phase has its time since the begin, and since the phase before", () => {
  const found = startPhases(run({ noticed: 300, placed: 500, caught_up: 1700 }, "2026-11-25T10:00:00Z"));
  const of = (phase: string) => found.find((each) => each.phase === phase);
  expect(of("noticed")).toMatchObject({ atMs: 300, tookMs: 300 });
  expect(of("placed")).toMatchObject({ atMs: 500, tookMs: 200 });
  expect(of("caught_up")).toMatchObject({ atMs: 1700, tookMs: 1200, passed: false });
});

test("a phase without a report is passed when a later one is known, else not reached", () => {
  const found = startPhases(run({ received: 100 }));
  expect(found.map(({ phase, passed }) => [phase, passed])).toEqual([
    ["placed", true],
    ["engine_ready", true],
    ["received", false],
    ["planned", false],
    ["queries_started", false],
    ["first_batch", false],
    ["caught_up", false],
  ]);
});
