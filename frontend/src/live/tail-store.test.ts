import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Frame } from "./frames";
import { TailStore } from "./tail-store";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const SUBSCRIBED: Frame = { op: "subscribed", id: 1, channel: "tail/trades", generation: null };

function records(...offsets: number[]): Frame {
  const found = offsets.map((offset) => ({ partition: 0, offset }) as never);
  return { op: "records", id: 1, records: found, records_per_second: 2, skipped: 0 };
}

function shown(store: TailStore) {
  vi.advanceTimersByTime(300);
  return store.tail;
}

const offsets = (store: TailStore) => shown(store).records.map(({ offset }) => offset);

describe("a tail after a loss", () => {
  it("knows from when on it has every record", () => {
    vi.setSystemTime(new Date("2026-01-01T12:00:00Z"));
    const store = new TailStore(() => false);
    store.apply(SUBSCRIBED);
    store.apply(records(1));
    expect(shown(store).gapAt).toBeNull();
    vi.setSystemTime(new Date("2026-01-01T12:01:00Z"));
    store.apply(SUBSCRIBED);
    expect(shown(store).gapAt).toBe(Date.parse("2026-01-01T12:01:00Z"));
    expect(offsets(store)).toEqual([1]);
  });

  it("misses nothing where it was refused before it began", () => {
    const store = new TailStore(() => false);
    store.apply({ op: "error", id: 1, code: "UNAVAILABLE", message: "Try again." });
    store.apply(SUBSCRIBED);
    expect(shown(store).gapAt).toBeNull();
  });
});

describe("the rate of a tail", () => {
  it("falls to 0 when records stop, of which the server says nothing", () => {
    const store = new TailStore(() => false);
    store.apply(SUBSCRIBED);
    store.tick();
    expect(shown(store).perSecond).toBeNull();
    store.apply(records(1));
    vi.advanceTimersByTime(2_000);
    store.tick();
    expect(shown(store).perSecond).toBe(2);
    vi.advanceTimersByTime(1_000);
    store.tick();
    expect(shown(store).perSecond).toBe(0);
    store.apply(records(2));
    store.tick();
    expect(shown(store).perSecond).toBe(2);
  });
});

describe("a paused tail", () => {
  it("that is opened shows the first records, and holds these", () => {
    const store = new TailStore(() => false);
    store.setPaused(true);
    store.apply(SUBSCRIBED);
    expect(shown(store)).toMatchObject({ paused: true, pending: 0 });
    store.apply(records(1, 2));
    expect(offsets(store)).toEqual([2, 1]);
    store.apply(records(3));
    expect(offsets(store)).toEqual([2, 1]);
    expect(store.tail.pending).toBe(1);
    store.setPaused(false);
    expect(store.tail.records.map(({ offset }) => offset)).toEqual([3, 2, 1]);
    expect(store.tail.pending).toBe(0);
  });

  it("counts every record that is not shown, also those that came just before the pause", () => {
    const store = new TailStore(() => false);
    store.apply(records(1));
    shown(store);
    store.apply(records(2));
    store.setPaused(true);
    store.apply(records(3));
    expect(offsets(store)).toEqual([1]);
    expect(store.tail.pending).toBe(2);
  });
});

describe("a tail of a topic that was recreated", () => {
  const of = (partition: number, offset: number, timestamp: string) =>
    ({ partition, offset, timestamp }) as never;
  const frame = (...found: never[]): Frame => ({
    op: "records",
    id: 1,
    records: found,
    records_per_second: 2,
    skipped: 0,
  });
  const ids = (store: TailStore) =>
    shown(store).records.map(
      ({ partition, offset, timestamp }) => `${String(partition)}:${String(offset)} ${timestamp ?? ""}`,
    );

  it("shows no two records of one partition and offset", () => {
    const store = new TailStore(() => false);
    store.apply(frame(of(0, 0, "old"), of(1, 7, "old"), of(0, 1, "old")));
    store.apply(frame(of(0, 0, "new"), of(0, 1, "new")));
    expect(ids(store)).toEqual(["0:1 new", "0:0 new", "1:7 old"]);
    store.apply(frame(of(1, 3, "new")));
    expect(ids(store)).toEqual(["1:3 new", "0:1 new", "0:0 new"]);
  });

  it("is not one that brings records again after a reconnect", () => {
    const store = new TailStore(() => false);
    store.apply(frame(of(0, 1, "a"), of(0, 2, "b"), of(0, 3, "c")));
    store.apply(SUBSCRIBED);
    store.apply(frame(of(0, 2, "b"), of(0, 3, "c"), of(0, 4, "d")));
    expect(ids(store)).toEqual(["0:4 d", "0:3 c", "0:2 b", "0:1 a"]);
  });
});
