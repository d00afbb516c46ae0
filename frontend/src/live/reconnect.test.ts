import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { followed, type FakeTransport } from "./transport.test-data";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function start(channel = "results/7") {
  const following = followed(channel);
  const open = () => {
    const present = following.transports.at(-1) as FakeTransport;
    present.onopen?.();
    return present;
  };
  return { ...following, open };
}

const ops = ({ sent }: FakeTransport) => sent.map(({ op }) => op);

describe("a server that takes connections and ends them", () => {
  it("is asked less and less often", () => {
    const { transports, open } = start();
    const until = Date.now() + 60_000;
    while (Date.now() < until) {
      const transport = transports.at(-1);
      if (transport?.onclose) {
        open();
        transport.onclose({ code: 1011 });
        transport.onclose = null;
      }
      vi.advanceTimersByTime(50);
    }
    expect(transports.length).toBeGreaterThan(5);
    expect(transports.length).toBeLessThan(20);
  });

  it("is asked at once again after a connection that lasted", () => {
    const { transports, open } = start();
    for (const expected of [2, 3]) {
      open();
      for (let s = 0; s < 30; s += 10) {
        vi.advanceTimersByTime(10_000);
        transports.at(-1)?.receive({ op: "pong" });
      }
      transports.at(-1)?.onclose?.({ code: 1006 });
      vi.advanceTimersByTime(0);
      expect(transports).toHaveLength(expected);
    }
  });

  it("says that there are too many connections, and is asked again after half a minute", () => {
    const { socket, transports, open } = start();
    open().onclose?.({ code: 4429 });
    expect(socket.status).toMatchObject({ state: "too_many", visible: true });
    vi.advanceTimersByTime(20_000);
    expect(transports).toHaveLength(1);
    vi.advanceTimersByTime(20_000);
    open();
    expect(socket.status).toMatchObject({ state: "connected", visible: false });
  });
});

describe("a network that goes away without a word", () => {
  it("is noticed, and a new connection goes on with the cursor", () => {
    const { socket, transports, open } = start();
    const first = open();
    first.receive({ op: "delta", id: 1, rows: [], cursor: "c9", at_us: 0, conflated: 0 });
    vi.advanceTimersByTime(20_000);
    expect(first.sent.at(-1)).toEqual({ op: "ping" });
    vi.advanceTimersByTime(10_000);
    expect(socket.status.state).toBe("lost");
    vi.advanceTimersByTime(1);
    expect(transports).toHaveLength(2);
    expect(open().sent[0]).toMatchObject({ op: "subscribe", cursor: "c9" });
  });

  it("is not suspected as long as anything comes", () => {
    const { transports, open } = start();
    const only = open();
    for (let s = 0; s < 300; s += 15) {
      vi.advanceTimersByTime(15_000);
      only.receive({ op: "delta", id: 1, rows: [], cursor: null, at_us: 0, conflated: 0 });
    }
    expect(transports).toHaveLength(1);
    expect(ops(only)).toEqual(["subscribe"]);
    for (let s = 0; s < 300; s += 20) {
      vi.advanceTimersByTime(20_000);
      only.receive({ op: "pong" });
    }
    expect(transports).toHaveLength(1);
  });

  it("is asked at once when the page is seen again, and so is a server that is waited for", () => {
    const { socket, transports, open } = start();
    const first = open();
    socket.wake();
    expect(first.sent.at(-1)).toEqual({ op: "ping" });
    first.onclose?.({ code: 1006 });
    for (let attempt = 0; attempt < 5; attempt += 1) {
      vi.advanceTimersByTime(11_000);
      transports.at(-1)?.onclose?.({ code: 1006 });
    }
    const before = transports.length;
    socket.wake();
    expect(transports).toHaveLength(before + 1);
  });

  it("doesn't wait for ever for a connection to open", () => {
    const { transports } = start();
    vi.advanceTimersByTime(11_000);
    expect(transports).toHaveLength(2);
  });
});

describe("a channel that is unavailable", () => {
  it("is asked for again, less and less often, while the connection stays", () => {
    const { open, transports } = start("lag/7");
    const only = open();
    const refuse = () => {
      only.receive({
        op: "error",
        id: 1,
        code: "UNAVAILABLE",
        message: "Temporarily unavailable. Try again.",
      });
    };
    refuse();
    vi.advanceTimersByTime(1_500);
    expect(ops(only)).toEqual(["subscribe", "unsubscribe", "subscribe"]);
    for (let s = 0; s < 600; s += 1) {
      if (only.sent.at(-1)?.["op"] === "subscribe" && s % 2) refuse();
      vi.advanceTimersByTime(1_000);
      only.receive({ op: "pong" });
    }
    expect(transports).toHaveLength(1);
    expect(only.sent.length).toBeLessThan(80);
  });

  it("is not asked for once the page is left", () => {
    const { open, subscription } = start("lag/7");
    const only = open();
    only.receive({ op: "error", id: 1, code: "UNAVAILABLE", message: "Temporarily unavailable. Try again." });
    subscription.close();
    vi.advanceTimersByTime(15_000);
    expect(ops(only)).toEqual(["subscribe", "unsubscribe"]);
  });

  it("is not asked for again where it doesn't exist", () => {
    const { open } = start("lag/7");
    const only = open();
    only.receive({ op: "error", id: 1, code: "NOT_FOUND", message: "Job not found." });
    vi.advanceTimersByTime(15_000);
    expect(ops(only)).toEqual(["subscribe"]);
  });
});
