/**
 * One WebSocket for all that a page follows. No React.
 *
 * After a loss it connects again by itself, at once first and then with growing pauses, and subscribes each
 * channel with the cursor it held. Losses shorter than two seconds are not shown (`visible` stays false). A
 * connection on which nothing comes is asked whether it is still there: a network that goes away without a
 * word closes nothing.
 */

import {
  CLOSE_OVERLOADED,
  CLOSE_PROTOCOL,
  CLOSE_ROLE_LOST,
  CLOSE_SIGNED_OUT,
  CLOSE_TOO_MANY,
  parseFrame,
  type Frame,
} from "./frames";
import { Liveness } from "./liveness";
import { connectPause, refusalPause, STABLE_MS, tooManyPause } from "./pauses";
import { SnapshotRenewal } from "./snapshot-renewal";
import { stopTimers, subscribeRequest, type Entry, type SubscribeOptions } from "./subscription-entry";

export type ConnectionState =
  "connecting" | "connected" | "lost" | "signed_out" | "role_lost" | "too_many" | "refused";

export interface ConnectionStatus {
  state: ConnectionState;
  /** epoch milliseconds of the last change of `state` */
  since: number;
  /** true once a loss has lasted long enough to be worth a word */
  visible: boolean;
  /** how often the connection came back */
  resumed: number;
  /** epoch milliseconds when the server last ended it because this page read too slowly; null: never */
  overloadedAt: number | null;
}

/** What is used of a WebSocket; tests give their own. */
export interface Transport {
  send(text: string): void;
  close(code?: number): void;
  onopen: (() => void) | null;
  onmessage: ((event: { data: unknown }) => void) | null;
  onclose: ((event: { code: number }) => void) | null;
}

export interface Subscription {
  close(): void;
}

export const SHOW_LOSS_AFTER_MS = 2_000;
const ABNORMAL = 1006;

/** Frames that only a subscription that is served has. */
const SERVED: readonly string[] = ["snapshot", "delta", "lag", "alerts", "records", "log", "group", "watch"];

export class LiveSocket {
  status: ConnectionStatus = {
    state: "connecting",
    since: Date.now(),
    visible: false,
    resumed: 0,
    overloadedAt: null,
  };
  /** code of the last error that concerned the whole connection */
  private ended = "";
  private transport: Transport | null = null;
  private attempt = 0;
  /** epoch milliseconds; null while none is open */
  private openedAt: number | null = null;
  private nextId = 1;
  private readonly entries = new Map<number, Entry>();
  private readonly listeners = new Set<() => void>();
  private lossTimer: ReturnType<typeof setTimeout> | undefined;
  private retryTimer: ReturnType<typeof setTimeout> | undefined;
  private readonly liveness = new Liveness(
    () => {
      this.transport?.send(JSON.stringify({ op: "ping" }));
    },
    () => {
      this.leave();
      this.lost(ABNORMAL);
    },
  );

  constructor(
    private readonly open: () => Transport,
    private readonly hidden: () => boolean = () => document.hidden,
  ) {}

  /** Calls `listener` at each change of `status`; returns the function that unsubscribes. */
  onStatus = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly getStatus = (): ConnectionStatus => this.status;

  subscribe(
    channel: string,
    workspace: string,
    onFrame: (frame: Frame) => void,
    options: SubscribeOptions = {},
  ): Subscription {
    const id = this.nextId++;
    const entry: Entry = {
      channel,
      workspace,
      options,
      cursor: null,
      onFrame,
      refusals: 0,
      again: undefined,
      renewal: new SnapshotRenewal(() => {
        entry.cursor = null;
        this.resubscribe(id);
      }, this.hidden),
    };
    this.entries.set(id, entry);
    if (this.status.state === "connected") this.sendSubscribe(id);
    else if (!this.transport && this.retryTimer === undefined) this.connect();
    return {
      close: () => {
        if (!this.entries.delete(id)) return;
        stopTimers(entry);
        this.sendUnsubscribe(id);
      },
    };
  }

  /** Tries at once, for instance after signing in again. */
  retry(): void {
    clearTimeout(this.retryTimer);
    this.retryTimer = undefined;
    this.attempt = 0;
    if (!this.transport) this.connect();
  }

  /** The network is back, or the page is seen again: finds out at once what the timers would find later. */
  readonly wake = (): void => {
    for (const { renewal } of this.entries.values()) renewal.seen();
    if (this.transport) this.liveness.check();
    else if (this.retryTimer !== undefined) {
      clearTimeout(this.retryTimer);
      this.connect();
    }
  };

  /**
   * Reconnects after the server closed the connection for want of a session; other losses reconnect by
   * themselves.
   */
  signedInAgain(): void {
    if (this.status.state === "signed_out") this.retry();
  }

  close(): void {
    clearTimeout(this.retryTimer);
    clearTimeout(this.lossTimer);
    this.retryTimer = undefined;
    this.leave();
    for (const entry of this.entries.values()) stopTimers(entry);
    this.entries.clear();
  }

  /** Ends the connection without waiting for the other side, which may not be there. */
  private leave(): void {
    this.liveness.stop();
    const transport = this.transport;
    this.transport = null;
    if (!transport) return;
    transport.onopen = transport.onmessage = transport.onclose = null;
    transport.close(1000);
  }

  private connect(): void {
    this.retryTimer = undefined;
    const transport = this.open();
    this.transport = transport;
    this.liveness.opening();
    transport.onopen = () => {
      this.ended = "";
      this.openedAt = Date.now();
      this.liveness.heard();
      clearTimeout(this.lossTimer);
      this.lossTimer = undefined;
      const again = this.status.state === "lost" ? 1 : 0;
      this.set({ state: "connected", visible: false, resumed: this.status.resumed + again });
      for (const id of this.entries.keys()) this.sendSubscribe(id);
    };
    transport.onmessage = (event) => {
      this.liveness.heard();
      if (typeof event.data === "string") this.receive(event.data);
    };
    transport.onclose = (event) => {
      this.lost(event.code);
    };
  }

  private sendSubscribe(id: number): void {
    const entry = this.entries.get(id);
    if (!entry) return;
    clearTimeout(entry.again);
    this.transport?.send(subscribeRequest(id, entry));
  }

  private sendUnsubscribe(id: number): void {
    if (this.status.state === "connected") this.transport?.send(JSON.stringify({ op: "unsubscribe", id }));
  }

  private receive(text: string): void {
    const frame = parseFrame(text);
    if (!frame || frame.op === "pong") return;
    if (frame.id === null) {
      if (frame.op === "error") this.ended = frame.code;
      return;
    }
    const entry = this.entries.get(frame.id);
    if (!entry) return;
    // Only the last of several frames carries the cursor: before it, a part of the rows is still missing.
    if (frame.op === "snapshot" || (frame.op === "delta" && frame.cursor !== null))
      entry.cursor = frame.cursor;
    if (frame.op === "snapshot" && !frame.more) entry.renewal.renewed();
    if (frame.op === "gap") entry.cursor = null;
    if (SERVED.includes(frame.op)) entry.refusals = 0;
    else if (frame.op === "error" && frame.code === "UNAVAILABLE") this.askAgain(frame.id, entry);
    entry.onFrame(frame);
  }

  /** Subscribes once more after a pause, as if for the first time: the server may hold it after all. */
  private askAgain(id: number, entry: Entry): void {
    clearTimeout(entry.again);
    entry.again = setTimeout(
      () => {
        this.resubscribe(id);
      },
      refusalPause(entry.channel, entry.refusals++),
    );
  }

  private resubscribe(id: number): void {
    this.sendUnsubscribe(id);
    if (this.status.state === "connected") this.sendSubscribe(id);
  }

  private lost(code: number): void {
    this.transport = null;
    this.liveness.stop();
    if (this.openedAt !== null && Date.now() - this.openedAt >= STABLE_MS) this.attempt = 0;
    this.openedAt = null;
    if (code === CLOSE_SIGNED_OUT) return this.set({ state: "signed_out", visible: true });
    if (code === CLOSE_ROLE_LOST) return this.set({ state: "role_lost", visible: true });
    if (code === CLOSE_PROTOCOL) return this.set({ state: "refused", visible: true });
    if (code === CLOSE_OVERLOADED && this.ended !== "UNAVAILABLE") this.set({ overloadedAt: Date.now() });
    if (code === CLOSE_TOO_MANY) {
      this.set({ state: "too_many", visible: true });
      this.connectLater(tooManyPause());
      return;
    }
    if (this.status.state !== "lost") {
      this.set({ state: "lost", visible: false });
      this.lossTimer = setTimeout(() => {
        this.set({ visible: true });
      }, SHOW_LOSS_AFTER_MS);
    }
    this.connectLater(connectPause(this.attempt++));
  }

  private connectLater(ms: number): void {
    clearTimeout(this.retryTimer);
    this.retryTimer = setTimeout(() => {
      this.connect();
    }, ms);
  }

  private set(change: Partial<ConnectionStatus>): void {
    const since = change.state && change.state !== this.status.state ? Date.now() : this.status.since;
    this.status = { ...this.status, ...change, since };
    for (const listener of this.listeners) listener();
  }
}
