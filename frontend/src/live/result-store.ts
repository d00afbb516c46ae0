/**
 * The rows of one followed result by identity. No React: `view` is immutable and replaced at each rendering.
 */

import { RENDER_INTERVAL_MS, RenderThrottle } from "./render-throttle";
import type { Frame, ResultRow, SnapshotFrame, StatusFrame } from "./frames";
import { RateMeter } from "./rate-meter";

export interface CachedRow {
  id: string;
  value: Record<string, unknown>;
  /** Kafka timestamp of the newest input inside it, in µs */
  newest: number;
  partial: boolean;
  /** per field, when its value last changed (epoch ms); fields of a first sight are absent */
  changed: Readonly<Record<string, number>>;
}

export interface ResultView {
  rows: readonly CachedRow[];
  /** waiting: nothing arrived yet; loading: the snapshot is arriving; live: deltas follow */
  phase: "waiting" | "loading" | "live";
  generation: number | null;
  /** how many rows there are at the server, which may be more than are kept here */
  total: number | null;
  /** what the total is: there may be more rows; or rows went that may have been among those not kept here */
  totalIs: TotalIs;
  /** whether there are, or were at the last snapshot, rows that are not kept here */
  truncated: boolean;
  /** event time in µs: windows that ended by then are closed in these rows; null: none is known to be */
  closedUntilUs: number | null;
  paused: boolean;
  /** rows that changed since the pause */
  pending: number;
  gap: { reason: string; at: number } | null;
  status: StatusFrame | null;
  error: string | null;
  rowsPerSecond: number;
  /** age of the newest input when its row left the server, in ms, smoothed */
  latencyMs: number | null;
  conflated: number;
}

export type TotalIs = "exact" | "at least" | "about";

/** What a pause holds: rows, and what is true of these. */
type Picture = Pick<ResultView, "rows" | "total" | "totalIs" | "truncated" | "closedUntilUs">;

/** More rows are not kept: those with the oldest inputs go first. */
export const MAX_ROWS = 10_000;
/** More rows that changed since a pause are not counted. */
export const MAX_PENDING = 100_000;

/**
 * Above this number of rows the view is rendered 4 times a second instead of 5, so that typing stays
 * responsive.
 */
const MANY_ROWS = 2_000;
const MANY_ROWS_INTERVAL_MS = 250;

const EMPTY: ResultView = {
  rows: [],
  phase: "waiting",
  generation: null,
  total: null,
  totalIs: "exact",
  truncated: false,
  closedUntilUs: null,
  paused: false,
  pending: 0,
  gap: null,
  status: null,
  error: null,
  rowsPerSecond: 0,
  latencyMs: null,
  conflated: 0,
};

export class ResultStore {
  view: ResultView = EMPTY;
  private rows = new Map<string, CachedRow>();
  private next = { ...EMPTY };
  private fresh = true;
  /** the rows of a snapshot, as far as they came, by identity */
  private arrived = new Map<string, ResultRow>();
  /** what stays on the page until the pause ends; null: nothing is held */
  private picture: Picture | null = null;
  private readonly pending = new Set<string>();
  private readonly meter = new RateMeter();
  private readonly listeners = new Set<() => void>();
  readonly throttle: RenderThrottle;

  constructor(
    hidden?: () => boolean,
    private readonly now: () => number = Date.now,
  ) {
    this.throttle = new RenderThrottle(() => {
      this.render();
    }, hidden);
  }

  readonly onView = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly getView = (): ResultView => this.view;

  readonly apply = (frame: Frame): void => {
    switch (frame.op) {
      case "subscribed":
        // A snapshot that a loss cut off is sent anew, from its beginning.
        this.fresh = true;
        this.next.error = null;
        break;
      case "snapshot":
        this.addSnapshot(frame);
        break;
      case "delta":
        this.next.phase = "live";
        this.next.error = null;
        this.next.conflated += frame.conflated;
        this.meter.add(frame.rows.length, this.now());
        this.measureLatency(frame.at_us, frame.rows);
        for (const row of frame.rows) this.applyChange(row);
        break;
      case "gap":
        this.next.gap = { reason: frame.reason, at: this.now() };
        this.fresh = true;
        break;
      case "status":
        this.next.status = frame;
        this.next.closedUntilUs = frame.closed_until_us ?? null;
        break;
      case "error":
        this.next.error = frame.message;
        break;
      default:
        return;
    }
    // A hidden tab draws nothing, and may be hidden for days.
    if (this.rows.size > 2 * MAX_ROWS) this.evict();
    this.throttle.request();
  };

  setPaused(paused: boolean): void {
    if (paused === this.next.paused) return;
    this.next.paused = paused;
    this.picture = paused && this.view.phase === "live" ? pictureOf(this.view) : null;
    this.pending.clear();
    this.render();
  }

  /** How many rows are held, shown or not. */
  get held(): number {
    return this.rows.size;
  }

  /** Lets the rate fall while nothing arrives. */
  readonly tick = (): void => {
    if (this.meter.perSecond(this.now()) !== this.view.rowsPerSecond) this.throttle.request();
  };

  stop(): void {
    this.throttle.stop();
  }

  private addSnapshot(frame: SnapshotFrame): void {
    if (this.fresh) this.arrived = new Map();
    this.fresh = !frame.more;
    this.next.error = null;
    for (const row of frame.rows) this.arrived.set(row.k, row);
    // Rows on the page stay until all that replace them are there.
    if (frame.more && this.next.phase === "live") return;
    this.next.phase = frame.more ? "loading" : "live";
    this.next.generation = frame.generation;
    this.next.total = frame.total;
    this.next.totalIs = frame.total_exact ? "exact" : "at least";
    this.next.truncated = frame.truncated;
    this.replaceRows();
    if (!frame.more) this.arrived = new Map();
  }

  /** Rows that are as they were keep their place and don't flash, and a pause doesn't count them. */
  private replaceRows(): void {
    for (const id of this.rows.keys()) if (!this.arrived.has(id)) this.rows.delete(id);
    for (const row of this.arrived.values()) {
      const before = this.rows.get(row.k);
      const now = this.put(row, row.v ?? {});
      if (!before || now.changed !== before.changed) this.countPending(row.k);
    }
  }

  private applyChange(row: ResultRow): void {
    this.countPending(row.k);
    if (row.v === null) this.countDeleted(this.rows.delete(row.k));
    else this.put(row, row.v);
  }

  private countPending(id: string): void {
    if (this.picture && this.pending.size < MAX_PENDING) this.pending.add(id);
  }

  private put({ k: id, n: newest, partial }: ResultRow, value: Record<string, unknown>): CachedRow {
    const before = this.rows.get(id);
    const changed = before ? changes(before, value, this.now()) : {};
    const row = { id, value, newest, partial: partial === true, changed };
    this.rows.set(id, row);
    return row;
  }

  /** A key that isn't kept here had a row, or none: a filter deletes each key that doesn't pass. */
  private countDeleted(isKept: boolean): void {
    if (!this.next.truncated) this.next.total = this.rows.size;
    else if (isKept && this.next.total !== null)
      this.next.total = Math.max(this.rows.size, this.next.total - 1);
    else if (!isKept && this.next.totalIs === "exact") this.next.totalIs = "about";
  }

  private measureLatency(sentUs: number, rows: readonly ResultRow[]): void {
    let newest = 0;
    for (const row of rows) newest = Math.max(newest, row.n);
    if (!newest) return;
    const latency = Math.max(0, (sentUs - newest) / 1000);
    const before = this.next.latencyMs;
    this.next.latencyMs = before === null ? latency : before * 0.8 + latency * 0.2;
  }

  private render(): void {
    if (this.rows.size > MAX_ROWS) this.evict();
    this.throttle.intervalMs = this.rows.size > MANY_ROWS ? MANY_ROWS_INTERVAL_MS : RENDER_INTERVAL_MS;
    this.next.rowsPerSecond = this.meter.perSecond(this.now());
    this.next.pending = this.pending.size;
    this.view = { ...this.next, ...(this.picture ?? { rows: [...this.rows.values()] }) };
    // A page that is opened paused shows the first rows, and holds these.
    if (this.next.paused && this.next.phase === "live") this.picture ??= pictureOf(this.view);
    for (const listener of this.listeners) listener();
  }

  private evict(): void {
    this.next.total = Math.max(this.next.total ?? 0, this.rows.size);
    if (this.next.totalIs === "exact") this.next.totalIs = "at least";
    this.next.truncated = true;
    const oldestFirst = [...this.rows.values()].sort((a, b) => a.newest - b.newest);
    for (const row of oldestFirst.slice(0, oldestFirst.length - MAX_ROWS)) this.rows.delete(row.id);
  }
}

function pictureOf({ rows, total, totalIs, truncated, closedUntilUs }: ResultView): Picture {
  return { rows, total, totalIs, truncated, closedUntilUs };
}

function changes(
  before: CachedRow,
  value: Record<string, unknown>,
  at: number,
): Readonly<Record<string, number>> {
  const changed = Object.entries(value).filter(
    ([name, now]) => before.value[name] !== now && JSON.stringify(before.value[name]) !== JSON.stringify(now),
  );
  if (!changed.length) return before.changed;
  return { ...before.changed, ...Object.fromEntries(changed.map(([name]) => [name, at])) };
}
