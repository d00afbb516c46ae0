import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { readPositions, writePositions } from "./browser-positions";
import { drawnPositions, PAUSE_MS, PositionSaver } from "./position-saver";
import {
  AUTOMATIC,
  isNodeName,
  joinMoves,
  movesOf,
  movesOfRenames,
  movesToAutomatic,
  withMoves,
  type Moves,
} from "./positions";

const HERE = { x: 1, y: 2 };
const THERE = { x: 30, y: 40 };
const KEPT = { right: { a: HERE, b: HERE }, down: { a: THERE } };

describe("moves", () => {
  it("change what they name, and take places away", () => {
    expect(withMoves(KEPT, { right: { a: THERE, b: null } })).toEqual({
      right: { a: THERE },
      down: { a: THERE },
    });
    expect(withMoves(KEPT, movesToAutomatic(KEPT, "right"))).toEqual({ right: {}, down: { a: THERE } });
  });

  it("joined are what one after the other would do", () => {
    const first: Moves = { right: { a: THERE, b: null } };
    const next: Moves = { right: { b: HERE }, down: { a: null } };
    expect(withMoves(KEPT, joinMoves(first, next))).toEqual(withMoves(withMoves(KEPT, first), next));
    expect(joinMoves({}, {})).toEqual({});
  });

  it("of a rename give the new name its place and leave the old one", () => {
    const moves = movesOfRenames(
      KEPT,
      new Map([
        ["a", "c"],
        ["gone", "d"],
      ]),
    );
    expect(moves).toEqual({ right: { c: HERE }, down: { c: THERE } });
  });
});

describe("names of nodes", () => {
  it.each(["agg_1", "output:result", "A"])("may be %s", (id) => {
    expect(isNodeName(id)).toBe(true);
  });

  it.each(["agg-", "agg-1", "", "_x", "1a", "output:", "a b", "big-trades"])("are never %s", (id) => {
    expect(isNodeName(id)).toBe(false);
  });

  it("that no job can have are left out of moves", () => {
    const moves = { right: { agg: HERE, "agg-": HERE }, down: { "agg-1": THERE } };
    expect(movesOf(moves, isNodeName)).toEqual({ right: { agg: HERE }, down: {} });
  });
});

describe("saving moves", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** A server that answers when it is told to. */
  function server() {
    const asked: { moves: Moves; answer: (failure?: Error) => Promise<void> }[] = [];
    const save = (moves: Moves) =>
      new Promise<void>((resolve, reject) => {
        const answer = async (failure?: Error) => {
          if (failure) reject(failure);
          else resolve();
          await vi.advanceTimersByTimeAsync(0);
        };
        asked.push({ moves, answer });
      });
    return { asked, saver: new PositionSaver(save) };
  }

  it("waits for the end of moving and sends one request", async () => {
    const { asked, saver } = server();
    saver.move({ right: { a: HERE } });
    await vi.advanceTimersByTimeAsync(PAUSE_MS - 1);
    saver.move({ right: { a: THERE }, down: { b: HERE } });
    await vi.advanceTimersByTimeAsync(PAUSE_MS - 1);
    expect(asked).toHaveLength(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(asked.map(({ moves }) => moves)).toEqual([{ right: { a: THERE }, down: { b: HERE } }]);
    expect(drawnPositions(AUTOMATIC, saver.snapshot().unsaved).right).toEqual({ a: THERE });
    await asked[0]?.answer();
    expect(saver.snapshot()).toEqual({ unsaved: {}, failure: null });
  });

  it("sends what came meanwhile after the answer, in order", async () => {
    const { asked, saver } = server();
    saver.move({ right: { a: HERE } });
    await vi.advanceTimersByTimeAsync(PAUSE_MS);
    saver.move({ right: { a: THERE } });
    await vi.advanceTimersByTimeAsync(PAUSE_MS);
    expect(asked).toHaveLength(1);
    await asked[0]?.answer();
    expect(asked[1]?.moves).toEqual({ right: { a: THERE } });
  });

  it("keeps what failed, says so, and sends it with the next move or when asked", async () => {
    const { asked, saver } = server();
    saver.move({ right: { a: HERE } });
    await vi.advanceTimersByTimeAsync(PAUSE_MS);
    await asked[0]?.answer(new Error("away"));
    expect(saver.snapshot()).toEqual({ unsaved: { right: { a: HERE } }, failure: new Error("away") });
    saver.move({ right: { b: THERE } });
    void saver.flush();
    expect(asked[1]?.moves).toEqual({ right: { a: HERE, b: THERE } });
    await asked[1]?.answer();
    expect(saver.snapshot()).toEqual({ unsaved: {}, failure: null });
  });

  it("goes at once when the page does, and only if there is something", async () => {
    const { asked, saver } = server();
    void saver.flush();
    saver.move({});
    void saver.flush();
    expect(asked).toHaveLength(0);
    saver.move({ down: { a: null } });
    void saver.flush();
    expect(asked).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(PAUSE_MS);
    expect(asked).toHaveLength(1);
  });
});

/** A store in memory. */
function memory() {
  const values = new Map<string, string>();
  return {
    values,
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
    removeItem: (key: string) => void values.delete(key),
  };
}

describe("positions in the browser", () => {
  it("are kept by name and direction, and none leave nothing", () => {
    const store = memory();
    writePositions(store, "draft", KEPT);
    expect(readPositions(store, "draft")).toEqual(KEPT);
    expect(readPositions(store, "other")).toEqual(AUTOMATIC);
    writePositions(store, "draft", AUTOMATIC);
    expect(store.values.size).toBe(0);
  });

  it("that can't be read count as none", () => {
    const store = memory();
    store.setItem("weir.drawing.draft.right", "{not json");
    store.setItem("weir.drawing.draft.down", '{"a": {"x": "1"}, "b": {"x": 1, "y": 2}}');
    expect(readPositions(store, "draft")).toEqual({ right: {}, down: { b: HERE } });
  });
});
