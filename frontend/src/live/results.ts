/** The rows of one followed result, kept by identity. No React: `picture` is an immutable value that changes at drawing times. */

import { DRAW_EVERY_MS, DrawClock } from "./clock";
import type { Frame, ResultRow, StatusFrame } from "./frames";
import { Meter } from "./meter";

export interface KeptRow {
  id: string;
  value: Record<string, unknown>;
  /** Kafka timestamp of the newest input inside it, in µs */
  newest: number;
  partial: boolean;
  /** per field, when its value last changed (epoch ms); fields of a first sight are absent */
  changed: Readonly<Record<string, number>>;
}

export interface Picture {
  rows: readonly KeptRow[];
  /** waiting: nothing arrived yet; loading: the snapshot is arriving; live: deltas follow */
  phase: "waiting" | "loading" | "live";
  generation: number | null;
  /** how many rows there are at the server, which may be more than are kept here */
  total: number | null;
  paused: boolean;
  /** rows that changed since the pause */
  held: number;
  gap: { reason: string; at: number } | null;
  status: StatusFrame | null;
  error: string | null;
  rowsPerSecond: number;
  /** age of the newest input when its row left the server, in ms, smoothed */
  delayMs: number | null;
  conflated: number;
}

/** More rows are not kept: those with the oldest inputs go first. */
export const KEPT_ROWS = 10_000;

/** From so many rows on the picture is drawn four times a second, not ten: nobody reads faster, and typing must not wait. */
const MANY_ROWS = 2_000;
const MANY_EVERY_MS = 250;

const EMPTY: Picture = {
  rows: [], phase: "waiting", generation: null, total: null, paused: false, held: 0, gap: null, status: null,
  error: null, rowsPerSecond: 0, delayMs: null, conflated: 0,
};

export class ResultStore {
  picture: Picture = EMPTY;
  private rows = new Map<string, KeptRow>();
  private next = { ...EMPTY };
  private fresh = true;
  private readonly held = new Set<string>();
  private readonly meter = new Meter();
  private readonly listeners = new Set<() => void>();
  readonly clock: DrawClock;

  constructor(hidden?: () => boolean, private readonly now: () => number = Date.now) {
    this.clock = new DrawClock(() => {
      this.draw();
    }, hidden);
  }

  readonly onPicture = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly getPicture = (): Picture => this.picture;

  readonly apply = (frame: Frame): void => {
    switch (frame.op) {
      case "subscribed":
        this.next.error = null;
        break;
      case "snapshot":
        if (this.fresh) this.rows = new Map();
        this.fresh = !frame.more;
        this.next.phase = frame.more ? "loading" : "live";
        this.next.generation = frame.generation;
        this.next.total = frame.total;
        for (const row of frame.rows) this.put(row, false);
        break;
      case "delta":
        this.next.phase = "live";
        this.next.conflated += frame.conflated;
        this.meter.add(frame.rows.length, this.now());
        this.measureDelay(frame.at_us, frame.rows);
        for (const row of frame.rows) this.put(row, true);
        break;
      case "gap":
        this.next.gap = { reason: frame.reason, at: this.now() };
        this.fresh = true;
        break;
      case "status":
        this.next.status = frame;
        break;
      case "error":
        this.next.error = frame.message;
        break;
      default:
        return;
    }
    this.clock.request();
  };

  setPaused(paused: boolean): void {
    if (paused === this.next.paused) return;
    this.next.paused = paused;
    this.held.clear();
    this.draw();
  }

  /** Lets the rate fall while nothing arrives. */
  readonly tick = (): void => {
    if (this.meter.perSecond(this.now()) !== this.picture.rowsPerSecond) this.clock.request();
  };

  stop(): void {
    this.clock.stop();
  }

  private put(row: ResultRow, live: boolean): void {
    if (this.next.paused && live) this.held.add(row.k);
    if (row.v === null) {
      this.rows.delete(row.k);
      return;
    }
    const before = this.rows.get(row.k);
    this.rows.set(row.k, {
      id: row.k,
      value: row.v,
      newest: row.n,
      partial: row.w === 1,
      changed: before && live ? changes(before, row.v, this.now()) : (before?.changed ?? {}),
    });
  }

  private measureDelay(sentUs: number, rows: readonly ResultRow[]): void {
    let newest = 0;
    for (const row of rows) newest = Math.max(newest, row.n);
    if (!newest) return;
    const delay = Math.max(0, (sentUs - newest) / 1000);
    const before = this.next.delayMs;
    this.next.delayMs = before === null ? delay : before * 0.8 + delay * 0.2;
  }

  private draw(): void {
    if (this.rows.size > KEPT_ROWS) this.evict();
    this.clock.every = this.rows.size > MANY_ROWS ? MANY_EVERY_MS : DRAW_EVERY_MS;
    this.next.rowsPerSecond = this.meter.perSecond(this.now());
    this.next.held = this.held.size;
    const rows = this.next.paused && this.picture.phase === "live" ? this.picture.rows : [...this.rows.values()];
    this.picture = { ...this.next, rows };
    for (const listener of this.listeners) listener();
  }

  private evict(): void {
    const oldestFirst = [...this.rows.values()].sort((a, b) => a.newest - b.newest);
    for (const row of oldestFirst.slice(0, oldestFirst.length - KEPT_ROWS)) this.rows.delete(row.id);
  }
}

function changes(before: KeptRow, value: Record<string, unknown>, at: number): Readonly<Record<string, number>> {
  const changed = { ...before.changed };
  for (const [name, now] of Object.entries(value)) {
    if (before.value[name] !== now && JSON.stringify(before.value[name]) !== JSON.stringify(now)) changed[name] = at;
  }
  return changed;
}
