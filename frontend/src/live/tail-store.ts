/** The newest records of a followed stream, newest first. */

import type { StreamRecord } from "../api/types";
import { RenderThrottle } from "./render-throttle";
import type { Frame, RecordsFrame } from "./frames";

export interface Tail {
  records: readonly StreamRecord[];
  following: boolean;
  paused: boolean;
  /** records that arrived since the pause */
  pending: number;
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

const EMPTY: Tail = {
  records: [],
  following: false,
  paused: false,
  pending: 0,
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
  private records: StreamRecord[] = [];
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
      this.next.following = true;
      this.next.error = null;
    } else if (frame.op === "records") this.add(frame);
    else if (frame.op === "error") this.next.error = { code: frame.code, message: frame.message };
    else return;
    this.throttle.request();
  };

  setPaused(paused: boolean): void {
    this.next.paused = paused;
    this.next.pending = 0;
    this.render();
  }

  stop(): void {
    this.throttle.stop();
  }

  private add({ records, records_per_second, skipped, evaluated, matched }: RecordsFrame): void {
    this.records = [...records].reverse().concat(this.records).slice(0, MAX_RECORDS);
    this.next.following = true;
    this.next.perSecond = records_per_second;
    if (evaluated === undefined || matched === undefined) {
      this.next.skipped += skipped;
    } else {
      // `skipped` of a frame includes records that did not meet the condition; only matches count here.
      this.next.evaluated += evaluated;
      this.next.matched += matched;
      this.next.unevaluated += records.length + skipped - evaluated;
      this.next.skipped += matched - records.length;
    }
    if (this.next.paused) this.next.pending += records.length;
  }

  private render(): void {
    this.tail = { ...this.next, records: this.next.paused ? this.tail.records : this.records };
    for (const listener of this.listeners) listener();
  }
}
