/**
 * One WebSocket for all that a page follows. No React.
 *
 * After a loss it connects again by itself, at once first and then with growing pauses, and subscribes each
 * channel with the cursor it held. Losses shorter than two seconds are not shown (`visible` stays false).
 */

import {
  CLOSE_OVERLOADED,
  CLOSE_PROTOCOL,
  CLOSE_ROLE_LOST,
  CLOSE_SIGNED_OUT,
  parseFrame,
  type Frame,
} from "./frames";

export type ConnectionState = "connecting" | "connected" | "lost" | "signed_out" | "role_lost" | "refused";

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

/** What a subscription may ask for besides its channel (docs/protocol.md). */
export interface SubscribeOptions {
  /** tails: records per second at most */
  max_per_second?: number;
  /** tails: a condition that records must meet */
  where?: string;
}

interface Entry {
  channel: string;
  workspace: string;
  options: SubscribeOptions;
  cursor: string | null;
  onFrame: (frame: Frame) => void;
}

export const SHOW_LOSS_AFTER_MS = 2_000;
const LAST_PAUSE_MS = 10_000;
const INTERVAL_MS = 100;

function pause(attempt: number): number {
  return attempt === 0 ? 0 : Math.min(LAST_PAUSE_MS, 250 * 2 ** (attempt - 1)) * (0.75 + Math.random() / 2);
}

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
  private nextId = 1;
  private readonly entries = new Map<number, Entry>();
  private readonly listeners = new Set<() => void>();
  private lossTimer: ReturnType<typeof setTimeout> | undefined;
  private retryTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly open: () => Transport) {}

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
    this.entries.set(id, { channel, workspace, options, cursor: null, onFrame });
    if (this.status.state === "connected") this.sendSubscribe(id);
    else if (!this.transport && this.retryTimer === undefined) this.connect();
    return {
      close: () => {
        if (!this.entries.delete(id)) return;
        if (this.status.state === "connected")
          this.transport?.send(JSON.stringify({ op: "unsubscribe", id }));
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
    const transport = this.transport;
    this.transport = null;
    if (transport) {
      transport.onclose = null;
      transport.close(1000);
    }
    this.entries.clear();
  }

  private connect(): void {
    this.retryTimer = undefined;
    const transport = this.open();
    this.transport = transport;
    transport.onopen = () => {
      this.ended = "";
      this.attempt = 0;
      clearTimeout(this.lossTimer);
      this.lossTimer = undefined;
      const again = this.status.state === "lost" ? 1 : 0;
      this.set({ state: "connected", visible: false, resumed: this.status.resumed + again });
      for (const id of this.entries.keys()) this.sendSubscribe(id);
    };
    transport.onmessage = (event) => {
      if (typeof event.data === "string") this.receive(event.data);
    };
    transport.onclose = (event) => {
      this.lost(event.code);
    };
  }

  private sendSubscribe(id: number): void {
    const entry = this.entries.get(id);
    if (!entry) return;
    const { channel, workspace, cursor, options } = entry;
    this.transport?.send(
      JSON.stringify({
        op: "subscribe",
        id,
        channel,
        workspace,
        cursor,
        interval_ms: INTERVAL_MS,
        ...options,
      }),
    );
  }

  private receive(text: string): void {
    const frame = parseFrame(text);
    if (!frame) return;
    if (frame.id === null) {
      if (frame.op === "error") this.ended = frame.code;
      return;
    }
    const entry = this.entries.get(frame.id);
    if (!entry) return;
    // Only the last of several frames carries the cursor: before it, a part of the rows is still missing.
    if ((frame.op === "snapshot" || frame.op === "delta") && frame.cursor !== null)
      entry.cursor = frame.cursor;
    if (frame.op === "gap") entry.cursor = null;
    entry.onFrame(frame);
  }

  private lost(code: number): void {
    this.transport = null;
    if (code === CLOSE_SIGNED_OUT) return this.set({ state: "signed_out", visible: true });
    if (code === CLOSE_ROLE_LOST) return this.set({ state: "role_lost", visible: true });
    if (code === CLOSE_PROTOCOL) return this.set({ state: "refused", visible: true });
    if (code === CLOSE_OVERLOADED && this.ended !== "UNAVAILABLE") this.set({ overloadedAt: Date.now() });
    if (this.status.state !== "lost") {
      this.set({ state: "lost", visible: false });
      this.lossTimer = setTimeout(() => {
        this.set({ visible: true });
      }, SHOW_LOSS_AFTER_MS);
    }
    this.retryTimer = setTimeout(() => {
      this.connect();
    }, pause(this.attempt++));
  }

  private set(change: Partial<ConnectionStatus>): void {
    const since = change.state && change.state !== this.status.state ? Date.now() : this.status.since;
    this.status = { ...this.status, ...change, since };
    for (const listener of this.listeners) listener();
  }
}
