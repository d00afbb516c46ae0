import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ResultStore } from "./result-store";
import { LiveSocket } from "./socket";
import { FakeTransport } from "./transport.test-data";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function row(k: string, n = 1) {
  return { k, v: { n }, n };
}

/** A page that shows a result; the test is the server. */
function page(channel = "results/7") {
  const transports: FakeTransport[] = [];
  const tab = { hidden: false };
  const socket = new LiveSocket(
    () => {
      const transport = new FakeTransport();
      transports.push(transport);
      return transport;
    },
    () => tab.hidden,
  );
  const store = new ResultStore(() => tab.hidden);
  const subscription = socket.subscribe(channel, "demo", store.apply);
  const server = () => transports.at(-1) as FakeTransport;
  const answer = (rows: ReturnType<typeof row>[], more = false) => {
    const counted = { total: 2, total_exact: true, truncated: false };
    server().receive({
      op: "snapshot",
      id: 1,
      generation: 1,
      rows,
      cursor: more ? null : "c",
      more,
      ...counted,
    });
  };
  const pass = (minutes: number) => {
    for (let s = 0; s < minutes * 60; s += 10) {
      vi.advanceTimersByTime(10_000);
      server().receive({ op: "pong" });
    }
  };
  const asked = () => server().sent.filter(({ op }) => op !== "ping");
  const shown = () => {
    vi.advanceTimersByTime(300);
    return store.view.rows.map(({ id, value }) => [id, value["n"]]);
  };
  server().onopen?.();
  return { socket, store, subscription, tab, transports, server, answer, pass, asked, shown };
}

describe("rows that expire", () => {
  it("leave a page that stays: it asks for a snapshot before the shortest retention is over", () => {
    const { server, answer, pass, asked, shown } = page();
    answer([row('["old"]'), row('["kept"]')]);
    pass(5);
    expect(asked()).toHaveLength(1);
    pass(5);
    expect(asked().slice(1)).toEqual([
      { op: "unsubscribe", id: 1 },
      expect.objectContaining({ op: "subscribe", id: 1, cursor: null }),
    ]);
    server().receive({ op: "subscribed", id: 1, channel: "results/7", generation: 1 });
    expect(shown()).toHaveLength(2);
    answer([row('["kept"]')]);
    expect(shown()).toEqual([['["kept"]', 1]]);
    pass(10);
    expect(asked()).toHaveLength(5);
  });

  it("are asked about at different times by different pages", () => {
    const pages = Array.from({ length: 20 }, () => page());
    for (const { answer } of pages) answer([]);
    const counts = [5, 1, 1, 1, 2].map((minutes) => {
      for (let s = 0; s < minutes * 60; s += 10) {
        vi.advanceTimersByTime(10_000);
        for (const { server } of pages) server().receive({ op: "pong" });
      }
      return pages.filter(({ asked }) => asked().length > 1).length;
    });
    expect(counts[0]).toBe(0);
    expect(counts[2]).toBeLessThan(20);
    expect(counts.at(-1)).toBe(20);
  });

  it("leave a hidden page when it is seen again", () => {
    const { socket, tab, answer, pass, asked } = page();
    answer([row('["old"]')]);
    tab.hidden = true;
    pass(60);
    expect(asked()).toHaveLength(1);
    tab.hidden = false;
    socket.wake();
    socket.wake();
    expect(asked().map(({ op }) => op)).toEqual(["subscribe", "unsubscribe", "subscribe"]);
  });

  it("are not asked about on channels without rows, nor once the page is left", () => {
    const lag = page("lag/7");
    lag.pass(30);
    expect(lag.asked()).toHaveLength(1);
    const { subscription, answer, pass, asked } = page();
    answer([]);
    subscription.close();
    pass(30);
    expect(asked()).toHaveLength(2);
  });

  it("are asked about with the next connection where there is none", () => {
    const { socket, transports, server, answer } = page();
    answer([row('["old"]')]);
    for (let s = 0; s < 600; s += 1) {
      server().onclose?.({ code: 1006 });
      vi.advanceTimersByTime(1_000);
    }
    socket.wake();
    server().onopen?.();
    expect(transports.at(-1)?.sent[0]).toMatchObject({ op: "subscribe", cursor: null });
  });
});

describe("a snapshot of rows that are shown", () => {
  it("replaces them at once, when all of it is there", () => {
    const { answer, shown, store } = page();
    answer([row('["a"]'), row('["b"]')]);
    expect(shown()).toHaveLength(2);
    answer([row('["b"]')], true);
    expect(shown()).toHaveLength(2);
    expect(store.view.phase).toBe("live");
    answer([row('["c"]')]);
    expect(shown()).toEqual([
      ['["b"]', 1],
      ['["c"]', 1],
    ]);
  });

  it("is asked for whole where a loss cut it off", () => {
    const { answer, server } = page();
    answer([row('["a"]')]);
    answer([row('["a"]')], true);
    server().onclose?.({ code: 1006 });
    vi.advanceTimersByTime(0);
    server().onopen?.();
    expect(server().sent[0]).toMatchObject({ cursor: null });
  });

  it("neither moves nor marks the rows that are as they were", () => {
    const { answer, shown, store } = page();
    answer([row('["a"]'), row('["b"]')]);
    shown();
    const before = store.view.rows.map(({ changed }) => changed);
    answer([row('["b"]'), row('["a"]')]);
    expect(shown().map(([id]) => id)).toEqual(['["a"]', '["b"]']);
    expect(store.view.rows.map(({ changed }) => changed)).toEqual(before);
  });

  it("leaves a pause as it is, and counts only what changed meanwhile", () => {
    const { answer, shown, store } = page();
    answer([row('["a"]'), row('["b"]')]);
    shown();
    store.setPaused(true);
    answer([row('["b"]')]);
    expect(shown()).toHaveLength(2);
    expect(store.view).toMatchObject({ paused: true, pending: 0 });
    answer([row('["b"]', 2), row('["c"]')]);
    expect(shown()).toHaveLength(2);
    expect(store.view.pending).toBe(2);
    store.setPaused(false);
    expect(shown()).toEqual([
      ['["b"]', 2],
      ['["c"]', 1],
    ]);
  });
});
