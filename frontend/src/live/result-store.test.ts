import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { parseFrame, type Frame } from "./frames";
import { LatestStore } from "./latest-store";
import { MAX_ROWS, ResultStore } from "./result-store";
import { SteadyView } from "./steady-view";
import { TailStore } from "./tail-store";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const SUBSCRIBED: Frame = { op: "subscribed", id: 1, channel: "results/7", generation: 1 };
const UNAVAILABLE: Frame = { op: "error", id: 1, code: "UNAVAILABLE", message: "Retrying automatically." };

function row(k: string, n = 1) {
  return { k, v: { n }, n };
}

function snapshot(rows: ReturnType<typeof row>[], more = false): Frame {
  const counted = { total: rows.length, total_exact: true, truncated: false };
  return { op: "snapshot", id: 1, generation: 1, rows, cursor: more ? null : "c", more, ...counted };
}

function delta(rows: ReturnType<typeof row>[]): Frame {
  return { op: "delta", id: 1, rows, cursor: "c", at_us: 0, conflated: 0 };
}

function gone(k: string): Frame {
  return { op: "delta", id: 1, rows: [{ k, v: null, n: 1 }], cursor: "c", at_us: 0, conflated: 0 };
}

function shown(store: ResultStore) {
  vi.advanceTimersByTime(300);
  return store.view;
}

describe("rows of a result", () => {
  it("are those of the new snapshot, where a loss cut the one before off", () => {
    const store = new ResultStore(() => false);
    store.apply(SUBSCRIBED);
    store.apply(snapshot([row('["gone meanwhile"]')], true));
    store.apply(SUBSCRIBED);
    store.apply(snapshot([row('["a"]')]));
    expect(shown(store).rows.map(({ id }) => id)).toEqual(['["a"]']);
  });

  it("are available once they come again", () => {
    for (const frame of [snapshot([]), delta([row('["a"]')]), SUBSCRIBED]) {
      const store = new ResultStore(() => false);
      store.apply(UNAVAILABLE);
      expect(shown(store).error).toBe("Retrying automatically.");
      store.apply(frame);
      expect(shown(store).error).toBeNull();
    }
  });

  it("don't grow without end in a hidden tab, and it is said that there are more", () => {
    let hidden = true;
    const store = new ResultStore(() => hidden);
    store.apply(snapshot([]));
    for (let n = 0; n < 60; n += 1)
      store.apply(delta(Array.from({ length: 1_000 }, (_, at) => row(`[${String(n * 1_000 + at)}]`, n + 1))));
    expect(store["rows"].size).toBeLessThanOrEqual(2 * MAX_ROWS);
    hidden = false;
    store.throttle.wake();
    const view = shown(store);
    expect(view.rows).toHaveLength(MAX_ROWS);
    expect(view.total).toBeGreaterThan(MAX_ROWS);
    expect(view).toMatchObject({ totalIs: "at least", truncated: true });
  });

  it("that are deleted are no longer counted; of others nobody knows whether they ever were", () => {
    const store = new ResultStore(() => false);
    store.apply({ ...snapshot([row('["a"]'), row('["b"]')]), total: 4, truncated: true } as Frame);
    store.apply(gone('["a"]'));
    expect(shown(store)).toMatchObject({ rows: [{ id: '["b"]' }], total: 3, totalIs: "exact" });
    // A filter of a changing result deletes each key that doesn't pass, also one that had no row.
    for (let n = 0; n < 10; n += 1) store.apply(gone(`["elsewhere ${String(n)}"]`));
    expect(shown(store)).toMatchObject({ total: 3, totalIs: "about", truncated: true });
    store.apply(snapshot([row('["b"]')]));
    expect(shown(store)).toMatchObject({ total: 1, totalIs: "exact", truncated: false });
  });

  it("are all of the result, after some were added and deleted", () => {
    const store = new ResultStore(() => false);
    store.apply(snapshot([row('["a"]'), row('["b"]')]));
    store.apply(gone('["a"]'));
    expect(shown(store)).toMatchObject({ rows: [{ id: '["b"]' }], total: 1 });
    store.apply(delta([row('["c"]')]));
    store.apply(gone('["b"]'));
    expect(shown(store)).toMatchObject({ rows: [{ id: '["c"]' }], total: 1 });
  });

  it("that changed since a pause are counted so far", () => {
    const store = new ResultStore(() => false);
    store.apply(snapshot([]));
    shown(store);
    store.setPaused(true);
    for (let n = 0; n < 11; n += 1)
      store.apply(delta(Array.from({ length: 10_000 }, (_, at) => row(`[${String(n * 10_000 + at)}]`))));
    expect(shown(store).pending).toBe(100_000);
  });

  it("are drawn although the clock was set back", () => {
    vi.setSystemTime(new Date("2026-01-01T12:00:00Z"));
    const store = new ResultStore(() => false);
    store.apply(snapshot([row('["a"]')]));
    expect(shown(store).rows).toHaveLength(1);
    vi.setSystemTime(new Date("2026-01-01T11:00:00Z"));
    store.apply(delta([row('["b"]')]));
    expect(shown(store).rows).toHaveLength(2);
  });

  it("are current for who begins to listen while nothing comes", () => {
    const store = new ResultStore(() => false);
    const steady = new SteadyView(store, 250);
    steady.onView(() => undefined)();
    store.apply(snapshot([row('["a"]')]));
    shown(store);
    steady.onView(() => undefined);
    expect(steady.getView().rows).toHaveLength(1);
  });
});

describe("a pause", () => {
  const closed = (us: number): Frame => ({
    op: "status",
    id: 1,
    desired: "running",
    last_seen_us: null,
    closed_until_us: us,
  });
  const ids = ({ rows }: ReturnType<typeof shown>) => rows.map(({ id }) => id);

  it("holds which windows are closed with the rows: half a window is never shown as closed", () => {
    const store = new ResultStore(() => false);
    store.apply(closed(5));
    store.apply(snapshot([row('["a"]')]));
    shown(store);
    store.setPaused(true);
    store.apply(delta([row('["a"]', 2)]));
    store.apply(closed(10));
    expect(shown(store)).toMatchObject({ closedUntilUs: 5, pending: 1, rows: [{ value: { n: 1 } }] });
    store.setPaused(false);
    expect(store.view).toMatchObject({ closedUntilUs: 10, pending: 0, rows: [{ value: { n: 2 } }] });
  });

  it("holds the rows while others come in parts after a gap", () => {
    const store = new ResultStore(() => false);
    store.apply(snapshot([row('["a"]')]));
    shown(store);
    store.setPaused(true);
    store.apply({ op: "gap", id: 1, reason: "topic_changed" });
    store.apply(snapshot([row('["b"]')], true));
    shown(store);
    store.apply(snapshot([row('["c"]')]));
    expect(shown(store)).toMatchObject({ paused: true, total: 1, gap: { reason: "topic_changed" } });
    expect(ids(store.view)).toEqual(['["a"]']);
    store.setPaused(false);
    expect(ids(store.view)).toEqual(['["b"]', '["c"]']);
  });

  it("that a page begins with holds the first rows, once all of them are there", () => {
    const store = new ResultStore(() => false);
    store.setPaused(true);
    store.apply(snapshot([row('["a"]')], true));
    shown(store);
    store.apply(snapshot([row('["b"]')]));
    shown(store);
    store.apply(delta([row('["c"]')]));
    expect(ids(shown(store))).toEqual(['["a"]', '["b"]']);
    expect(store.view.pending).toBe(1);
  });
});

describe("numbers of rows", () => {
  const value = (text: string) => {
    const frame = parseFrame(
      `{"op":"delta","id":1,"rows":[{"k":"[7]","v":{"x":${text}},"n":1764000000118000}]}`,
    );
    return frame?.op === "delta" ? frame.rows[0] : undefined;
  };

  it("keep every digit", () => {
    expect(value("1152921504606846977")?.v).toEqual({ x: "1152921504606846977" });
    expect(value("-9223372036854775808")?.v).toEqual({ x: "-9223372036854775808" });
    expect(value("9007199254740993")?.v).toEqual({ x: "9007199254740993" });
  });

  it("are numbers where a browser keeps them", () => {
    expect(value("9007199254740991")).toEqual({ k: "[7]", v: { x: 9007199254740991 }, n: 1764000000118000 });
    expect(value("0.30000000000000004")?.v).toEqual({ x: 0.30000000000000004 });
  });
});

it("a tail that is served again says nothing of the refusal before", () => {
  const tail = new TailStore(() => false);
  tail.apply(UNAVAILABLE);
  tail.apply({ op: "subscribed", id: 1, channel: "tail/trades", generation: null });
  vi.advanceTimersByTime(200);
  expect(tail.tail.error).toBeNull();
});

it("the newest of thousands of names are copied for drawings, not for frames", () => {
  const store = new LatestStore<number>(() => false);
  const set = vi.spyOn(Map.prototype, "set");
  for (let n = 0; n < 1_000; n += 1) store.put(String(n), n);
  expect(set).toHaveBeenCalledTimes(1_000);
  set.mockRestore();
  vi.advanceTimersByTime(200);
  const drawn = store.get();
  expect(drawn.size).toBe(1_000);
  store.put("0", 7);
  expect(drawn.get("0")).toBe(0);
});
