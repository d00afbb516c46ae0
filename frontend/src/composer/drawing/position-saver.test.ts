import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { PAUSE_MS, PositionSaver } from "./position-saver";
import type { Moves } from "./positions";

const HERE = { x: 1, y: 2 };
const THERE = { x: 3, y: 4 };

let sent: Moves[];

beforeEach(() => {
  vi.useFakeTimers();
  sent = [];
});
afterEach(() => {
  vi.useRealTimers();
});

function saver(save = (moves: Moves): Promise<unknown> => Promise.resolve(sent.push(moves))) {
  return new PositionSaver(save);
}

test("moves that follow each other are saved together, after a pause", async () => {
  const positions = saver();
  positions.move({ right: { trades: HERE } });
  await vi.advanceTimersByTimeAsync(PAUSE_MS - 1);
  positions.move({ right: { trades: THERE, out: HERE } });
  await vi.advanceTimersByTimeAsync(PAUSE_MS - 1);
  expect(sent).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(sent).toEqual([{ right: { trades: THERE, out: HERE } }]);
  expect(positions.snapshot()).toEqual({ unsaved: {}, failure: null });
});

test("a node whose name no job can have is not saved, and keeps no other from being saved", async () => {
  const positions = saver();
  positions.move({ right: { "not a name": HERE, trades: HERE, "1st": HERE } });
  await vi.advanceTimersByTimeAsync(PAUSE_MS);
  positions.move({ right: { "not a name": THERE } });
  await vi.advanceTimersByTimeAsync(PAUSE_MS);
  expect(sent).toEqual([{ right: { trades: HERE } }]);
});

test("what could not be saved stays and is saved with the next move", async () => {
  const answers = [
    () => Promise.reject(new Error("gone")),
    (moves: Moves) => Promise.resolve(sent.push(moves)),
  ];
  const positions = saver((moves) => answers.shift()?.(moves) ?? Promise.resolve());
  positions.move({ right: { trades: HERE } });
  await vi.advanceTimersByTimeAsync(PAUSE_MS);
  expect(positions.snapshot().failure).toBeInstanceOf(Error);
  positions.move({ right: { out: THERE } });
  await vi.advanceTimersByTimeAsync(PAUSE_MS);
  expect(sent).toEqual([{ right: { trades: HERE, out: THERE } }]);
});
