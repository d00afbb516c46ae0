import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Frame } from "./frames";
import { ResultStore } from "./result-store";
import { TailStore } from "./tail-store";
import { followed } from "./transport.test-data";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Of a snapshot that is all of its result. */
const COUNTED = { total_exact: true, truncated: false };

describe("the socket", () => {
  function start() {
    const following = followed("results/7");
    following.transports[0]?.onopen?.();
    return following;
  }

  it("sends the options of a channel, also after a loss", () => {
    const { socket, transports } = start();
    socket.subscribe("tail/trades", "demo", () => undefined, { max_per_second: 5, where: "n > 1" });
    const request = {
      op: "subscribe",
      id: 2,
      channel: "tail/trades",
      workspace: "demo",
      cursor: null,
      interval_ms: 100,
      max_per_second: 5,
      where: "n > 1",
    };
    expect(transports[0]?.sent[1]).toEqual(request);
    transports[0]?.onclose?.({ code: 1006 });
    vi.advanceTimersByTime(100);
    transports[1]?.onopen?.();
    expect(transports[1]?.sent[1]).toEqual(request);
  });

  it("subscribes when it is open, and again with the cursor it held", () => {
    const { socket, transports } = start();
    expect(transports[0]?.sent).toEqual([
      { op: "subscribe", id: 1, channel: "results/7", workspace: "demo", cursor: null, interval_ms: 100 },
    ]);
    const snapshot = { op: "snapshot", id: 1, generation: 1, rows: [], ...COUNTED, total: 0 };
    transports[0]?.receive({ ...snapshot, cursor: null, more: true });
    transports[0]?.receive({ ...snapshot, cursor: "c2", more: false });
    transports[0]?.onclose?.({ code: 1006 });
    expect(socket.status).toMatchObject({ state: "lost", visible: false });
    vi.advanceTimersByTime(0);
    transports[1]?.onopen?.();
    expect(transports[1]?.sent[0]).toMatchObject({ cursor: "c2" });
    expect(socket.status).toMatchObject({ state: "connected", resumed: 1, visible: false });
  });

  it("forgets the cursor after a gap", () => {
    const { transports } = start();
    transports[0]?.receive({ op: "delta", id: 1, rows: [], cursor: "c9", at_us: 0, conflated: 0 });
    transports[0]?.receive({ op: "gap", id: 1, reason: "cursor_too_old" });
    transports[0]?.onclose?.({ code: 1013 });
    vi.advanceTimersByTime(0);
    transports[1]?.onopen?.();
    expect(transports[1]?.sent[0]).toMatchObject({ cursor: null });
  });

  it("notes when it was ended because this page read too slowly", () => {
    const { socket, transports } = start();
    expect(socket.status.overloadedAt).toBeNull();
    transports[0]?.receive({ op: "error", id: null, code: "UNAVAILABLE", message: "Reconnect." });
    transports[0]?.onclose?.({ code: 1013 });
    expect(socket.status.overloadedAt).toBeNull();
    vi.advanceTimersByTime(0);
    transports[1]?.onopen?.();
    transports[1]?.onclose?.({ code: 1013 });
    expect(socket.status.overloadedAt).toBe(Date.now());
  });

  it("tells of a loss only after two seconds", () => {
    const { socket, transports } = start();
    transports[0]?.onclose?.({ code: 1006 });
    vi.advanceTimersByTime(0);
    transports[1]?.onclose?.({ code: 1006 });
    vi.advanceTimersByTime(1_900);
    expect(socket.status.visible).toBe(false);
    vi.advanceTimersByTime(200);
    expect(socket.status.visible).toBe(true);
  });

  it("does not come back when signed out", () => {
    const { socket, transports } = start();
    transports[0]?.onclose?.({ code: 4401 });
    vi.advanceTimersByTime(60_000);
    expect(socket.status.state).toBe("signed_out");
    expect(transports).toHaveLength(1);
  });

  it("comes back after signing in again, and only then", () => {
    const { socket, transports } = start();
    socket.signedInAgain();
    expect(transports).toHaveLength(1);
    transports[0]?.onclose?.({ code: 4401 });
    socket.signedInAgain();
    transports[1]?.onopen?.();
    expect(socket.status).toMatchObject({ state: "connected", visible: false });
    expect(transports[1]?.sent[0]).toMatchObject({ op: "subscribe", channel: "results/7" });
    transports[1]?.onclose?.({ code: 4403 });
    socket.signedInAgain();
    expect(transports).toHaveLength(2);
  });

  it.each([
    [4403, "role_lost"],
    [4400, "refused"],
  ] as const)("after %i stays away and says why", (code, state) => {
    const { socket, transports } = start();
    transports[0]?.onclose?.({ code });
    vi.advanceTimersByTime(60_000);
    expect(socket.status).toMatchObject({ state, visible: true });
    expect(transports).toHaveLength(1);
  });

  it("unsubscribes", () => {
    const { transports, subscription, frames } = start();
    subscription.close();
    transports[0]?.receive({ op: "gap", id: 1, reason: "overflow" });
    expect(transports[0]?.sent.at(-1)).toEqual({ op: "unsubscribe", id: 1 });
    expect(frames).toEqual([]);
  });
});

describe("followed results", () => {
  const row = (k: string, n: number, v: Record<string, unknown> | null = { n }) => ({ k, v, n });
  const snapshot = (rows: object[], more = false) =>
    ({
      op: "snapshot",
      id: 1,
      generation: 1,
      rows,
      cursor: "c",
      more,
      total: rows.length,
      ...COUNTED,
    }) as Frame;
  const delta = (rows: object[]) =>
    ({ op: "delta", id: 1, rows, cursor: "c", at_us: 0, conflated: 0 }) as Frame;
  const store = () => new ResultStore(() => false);

  it("keeps the last row by identity and drops tombstones", () => {
    const results = store();
    results.apply(snapshot([row('["a"]', 1), row('["b"]', 1)]));
    results.apply(delta([row('["a"]', 2), row('["b"]', 3, null)]));
    vi.advanceTimersByTime(100);
    expect(results.view.rows.map(({ id, value }) => [id, value])).toEqual([['["a"]', { n: 2 }]]);
    expect(Object.keys(results.view.rows[0]?.changed ?? {})).toEqual(["n"]);
  });

  it("draws at most five times a second", () => {
    const results = store();
    let drawn = 0;
    results.onView(() => {
      drawn += 1;
    });
    for (let n = 0; n < 100; n += 1) {
      results.apply(delta([row('["a"]', n)]));
      vi.advanceTimersByTime(10);
    }
    expect(drawn).toBeLessThanOrEqual(6);
  });

  it("holds the view while paused, and counts the rows that wait", () => {
    const results = store();
    results.apply(snapshot([row('["a"]', 1)]));
    vi.advanceTimersByTime(100);
    results.setPaused(true);
    results.apply(delta([row('["a"]', 2), row('["b"]', 2)]));
    results.apply(delta([row('["b"]', 3)]));
    vi.advanceTimersByTime(100);
    expect(results.view.rows).toHaveLength(1);
    expect(results.view.pending).toBe(2);
    results.setPaused(false);
    expect(results.view.rows).toHaveLength(2);
    expect(results.view.pending).toBe(0);
  });

  it("begins anew with the snapshot after a gap", () => {
    const results = store();
    results.apply(snapshot([row('["a"]', 1)]));
    results.apply({ op: "gap", id: 1, reason: "topic_changed" });
    results.apply(snapshot([row('["b"]', 1)], true));
    results.apply(snapshot([row('["c"]', 1)]));
    vi.advanceTimersByTime(100);
    expect(results.view.rows.map(({ id }) => id)).toEqual(['["b"]', '["c"]']);
    expect(results.view.gap?.reason).toBe("topic_changed");
  });

  it("does not draw in a hidden tab, but follows", () => {
    let hidden = true;
    const results = new ResultStore(() => hidden);
    results.apply(snapshot([row('["a"]', 1)]));
    vi.advanceTimersByTime(1_000);
    expect(results.view.rows).toHaveLength(0);
    hidden = false;
    results.throttle.wake();
    vi.advanceTimersByTime(100);
    expect(results.view.rows).toHaveLength(1);
  });
});

describe("a tail", () => {
  it("shows the newest first and stands still while paused", () => {
    const tail = new TailStore(() => false);
    const record = (offset: number) => ({ partition: 0, offset }) as never;
    const records = (...offsets: number[]) =>
      ({ op: "records", id: 1, records: offsets.map(record), records_per_second: 2, skipped: 1 }) as Frame;
    tail.apply(records(1, 2));
    vi.advanceTimersByTime(100);
    tail.setPaused(true);
    tail.apply(records(3));
    vi.advanceTimersByTime(100);
    expect(tail.tail.records.map(({ offset }) => offset)).toEqual([2, 1]);
    expect(tail.tail).toMatchObject({ pending: 1, skipped: 2, perSecond: 2 });
  });

  it("with a condition tells matches, what was evaluated and what came too fast", () => {
    const tail = new TailStore(() => false);
    // 100 arrived: 60 were evaluated, 12 of these met the condition, 2 are shown
    tail.apply({
      op: "records",
      id: 1,
      records: [{ offset: 1 }, { offset: 2 }] as never[],
      records_per_second: 400,
      skipped: 98,
      evaluated: 60,
      matched: 12,
    });
    tail.apply({
      op: "records",
      id: 1,
      records: [],
      records_per_second: 400,
      skipped: 10,
      evaluated: 10,
      matched: 0,
    });
    vi.advanceTimersByTime(100);
    expect(tail.tail).toMatchObject({
      evaluated: 70,
      matched: 12,
      unevaluated: 40,
      skipped: 10,
      perSecond: 400,
    });
  });

  it("keeps the code of a refusal", () => {
    const tail = new TailStore(() => false);
    tail.apply({ op: "error", id: 1, code: "FILTER_INVALID", message: "The condition: x is no field." });
    vi.advanceTimersByTime(100);
    expect(tail.tail.error?.code).toBe("FILTER_INVALID");
  });
});
