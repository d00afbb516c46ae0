/** The newest records of a followed stream, newest first. */

import type { StreamRecord } from "../api/types";
import { RenderThrottle } from "./render-throttle";
import type { Frame, RecordsFrame } from "./frames";

export interface Tail {
  records: readonly StreamRecord[];
  following: boolean;
  paused: boolean;
  /** records that arrived since those that a pause holds */
  pending: number;
  /** epoch milliseconds of the last reconnect: records from before may be missing; null: there was none */
  gapAt: number | null;
  perSecond: number | null;
  /** records that the server left out, because they came faster than they can be shown */
  skipped: number;
  /**
   * with a condition: records evaluated, records that met it, and records skipped because they came too fast
   */
  evaluated: number;
  matched: number;
  unevaluated: number;
  error: { code: string; message: string } | null;
}

export const MAX_RECORDS = 500;

/** While records arrive, a frame comes at least every quarter of a second; a link may hold it up so long. */
const SILENT_MS = 3_000;

const EMPTY: Tail = {
  records: [],
  following: false,
  paused: false,
  pending: 0,
  gapAt: null,
  perSecond: null,
  skipped: 0,
  evaluated: 0,
  matched: 0,
  unevaluated: 0,
  error: null,
};

export class TailStore {
  tail: Tail = EMPTY;
  private next = { ...EMPTY };
  private records: readonly StreamRecord[] = [];
  /** by partition, the offset of the newest record that came */
  private readonly newest = new Map<number, number>();
  /** how many records arrived, and of these, how many before the newest drawing that was not held */
  private arrived = 0;
  private drawn = 0;
  private heardAt = 0;
  private readonly listeners = new Set<() => void>();
  readonly throttle: RenderThrottle;

  constructor(hidden?: () => boolean) {
    this.throttle = new RenderThrottle(() => {
      this.render();
    }, hidden);
  }

  readonly onTail = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly getTail = (): Tail => this.tail;

  readonly apply = (frame: Frame): void => {
    if (frame.op === "subscribed") {
      // A tail has no cursor: it begins anew at the end of the topic.
      if (this.next.following) this.next.gapAt = Date.now();
      this.next.following = true;
      this.next.error = null;
    } else if (frame.op === "records") this.add(frame);
    else if (frame.op === "error") this.next.error = { code: frame.code, message: frame.message };
    else return;
    this.throttle.request();
  };

  setPaused(paused: boolean): void {
    this.next.paused = paused;
    this.render();
  }

  /** Lets the rate fall to 0 while nothing arrives: the server sends no frame then. */
  readonly tick = (): void => {
    if (!this.next.perSecond || Date.now() - this.heardAt < SILENT_MS) return;
    this.next.perSecond = 0;
    this.throttle.request();
  };

  stop(): void {
    this.throttle.stop();
  }

  private add({ records, records_per_second, skipped, evaluated, matched }: RecordsFrame): void {
    for (const record of records) this.put(record);
    this.next.following = true;
    this.next.perSecond = records_per_second;
    this.heardAt = Date.now();
    if (evaluated === undefined || matched === undefined) {
      this.next.skipped += skipped;
    } else {
      // `skipped` of a frame includes records that did not meet the condition; only matches count here.
      this.next.evaluated += evaluated;
      this.next.matched += matched;
      this.next.unevaluated += records.length + skipped - evaluated;
      this.next.skipped += matched - records.length;
    }
  }

  private put(record: StreamRecord): void {
    const { partition, offset, timestamp } = record;
    if (offset <= (this.newest.get(partition) ?? -1)) {
      const held = this.records.filter((one) => one.partition === partition);
      // After a reconnect, another process of the server may bring what was shown already.
      if (held.some((one) => one.offset === offset && one.timestamp === timestamp)) return;
      // The topic was recreated: what is held is of records that are gone, under offsets of others.
      this.records = this.records.filter((one) => one.partition !== partition);
    }
    this.newest.set(partition, offset);
    this.records = [record, ...this.records].slice(0, MAX_RECORDS);
    this.arrived += 1;
  }

  private render(): void {
    // A tail that is opened paused shows the first records, and holds these.
    const held = this.next.paused && this.tail.records.length > 0;
    if (!held) this.drawn = this.arrived;
    this.next.pending = this.arrived - this.drawn;
    this.tail = { ...this.next, records: held ? this.tail.records : this.records };
    for (const listener of this.listeners) listener();
  }
}
