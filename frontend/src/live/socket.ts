/**
 * One WebSocket for all that a page follows. No React.
 *
 * After a loss it connects again by itself, at once first and then with growing pauses, and subscribes each channel
 * with the cursor it held. Losses shorter than two seconds are not told (`told` stays false).
 */

import { CLOSE_PROTOCOL, CLOSE_ROLE_LOST, CLOSE_SIGNED_OUT, parseFrame, type Frame } from "./frames";

export type LinkState = "connecting" | "connected" | "lost" | "signed_out" | "role_lost" | "refused";

export interface Link {
  state: LinkState;
  /** epoch milliseconds of the last change of `state` */
  since: number;
  /** true once a loss has lasted long enough to be worth a word */
  told: boolean;
  /** how often the connection came back */
  resumed: number;
}

/** What is used of a WebSocket; tests give their own. */
export interface Wire {
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
export interface Wanted {
  /** tails: records per second at most */
  rate?: number;
  /** tails: a condition that records must meet */
  where?: string;
}

interface Entry {
  channel: string;
  workspace: string;
  wanted: Wanted;
  cursor: string | null;
  onFrame: (frame: Frame) => void;
}

export const TELL_AFTER_MS = 2_000;
const LAST_PAUSE_MS = 10_000;
const INTERVAL_MS = 100;

function pause(attempt: number): number {
  return attempt === 0 ? 0 : Math.min(LAST_PAUSE_MS, 250 * 2 ** (attempt - 1)) * (0.75 + Math.random() / 2);
}

export class LiveSocket {
  link: Link = { state: "connecting", since: Date.now(), told: false, resumed: 0 };
  private wire: Wire | null = null;
  private attempt = 0;
  private nextId = 1;
  private readonly entries = new Map<number, Entry>();
  private readonly listeners = new Set<() => void>();
  private tellTimer: ReturnType<typeof setTimeout> | undefined;
  private retryTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly open: () => Wire) {}

  /** Calls `listener` at each change of `link`; returns how to stop. */
  onLink = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly getLink = (): Link => this.link;

  subscribe(channel: string, workspace: string, onFrame: (frame: Frame) => void, wanted: Wanted = {}): Subscription {
    const id = this.nextId++;
    this.entries.set(id, { channel, workspace, wanted, cursor: null, onFrame });
    if (this.link.state === "connected") this.say(id);
    else if (!this.wire && this.retryTimer === undefined) this.connect();
    return {
      close: () => {
        if (!this.entries.delete(id)) return;
        if (this.link.state === "connected") this.wire?.send(JSON.stringify({ op: "unsubscribe", id }));
      },
    };
  }

  /** Tries at once, for instance after signing in again. */
  retry(): void {
    clearTimeout(this.retryTimer);
    this.retryTimer = undefined;
    this.attempt = 0;
    if (!this.wire) this.connect();
  }

  /** Tries again where the server had ended the connection because nobody was signed in; a loss comes back by itself. */
  signedInAgain(): void {
    if (this.link.state === "signed_out") this.retry();
  }

  close(): void {
    clearTimeout(this.retryTimer);
    clearTimeout(this.tellTimer);
    this.retryTimer = undefined;
    const wire = this.wire;
    this.wire = null;
    if (wire) {
      wire.onclose = null;
      wire.close(1000);
    }
    this.entries.clear();
  }

  private connect(): void {
    this.retryTimer = undefined;
    const wire = this.open();
    this.wire = wire;
    wire.onopen = () => {
      this.attempt = 0;
      clearTimeout(this.tellTimer);
      this.tellTimer = undefined;
      const again = this.link.state === "lost" ? 1 : 0;
      this.set({ state: "connected", told: false, resumed: this.link.resumed + again });
      for (const id of this.entries.keys()) this.say(id);
    };
    wire.onmessage = (event) => {
      if (typeof event.data === "string") this.receive(event.data);
    };
    wire.onclose = (event) => {
      this.lost(event.code);
    };
  }

  private say(id: number): void {
    const entry = this.entries.get(id);
    if (!entry) return;
    const { channel, workspace, cursor, wanted } = entry;
    this.wire?.send(JSON.stringify({ op: "subscribe", id, channel, workspace, cursor, interval_ms: INTERVAL_MS, ...wanted }));
  }

  private receive(text: string): void {
    const frame = parseFrame(text);
    if (!frame || frame.id === null) return;
    const entry = this.entries.get(frame.id);
    if (!entry) return;
    // Only the last of several frames carries the cursor: before it, a part of the rows is still missing.
    if ((frame.op === "snapshot" || frame.op === "delta") && frame.cursor !== null) entry.cursor = frame.cursor;
    if (frame.op === "gap") entry.cursor = null;
    entry.onFrame(frame);
  }

  private lost(code: number): void {
    this.wire = null;
    if (code === CLOSE_SIGNED_OUT) return this.set({ state: "signed_out", told: true });
    if (code === CLOSE_ROLE_LOST) return this.set({ state: "role_lost", told: true });
    if (code === CLOSE_PROTOCOL) return this.set({ state: "refused", told: true });
    if (this.link.state !== "lost") {
      this.set({ state: "lost", told: false });
      this.tellTimer = setTimeout(() => {
        this.set({ told: true });
      }, TELL_AFTER_MS);
    }
    this.retryTimer = setTimeout(() => {
      this.connect();
    }, pause(this.attempt++));
  }

  private set(change: Partial<Link>): void {
    const since = change.state && change.state !== this.link.state ? Date.now() : this.link.since;
    this.link = { ...this.link, ...change, since };
    for (const listener of this.listeners) listener();
  }
}
