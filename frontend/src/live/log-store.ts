/** The newest lines of a job's log, by run, in the order in which they came. */

import type { LogLine } from "../api/types";
import type { Frame, LogFrame } from "./frames";
import { RenderThrottle } from "./render-throttle";

export interface LiveLog {
  lines: ReadonlyMap<string, readonly LogLine[]>;
  /** how often lines may be missing: after a reconnect, because they came too fast, or older ones left out */
  gaps: number;
}

export const MAX_LINES = 2_000;

export class LogStore {
  private log: LiveLog = { lines: new Map(), gaps: 0 };
  private shown: LiveLog = this.log;
  private subscribed = false;
  private readonly listeners = new Set<() => void>();
  readonly throttle: RenderThrottle;

  constructor(hidden?: () => boolean) {
    this.throttle = new RenderThrottle(() => {
      this.shown = this.log;
      for (const listener of this.listeners) listener();
    }, hidden);
  }

  readonly onChange = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly get = (): LiveLog => this.shown;

  readonly apply = (frame: Frame): void => {
    if (frame.op === "log") this.add(frame);
    else if (frame.op === "subscribed") {
      if (this.subscribed) this.log = { ...this.log, gaps: this.log.gaps + 1 };
      this.subscribed = true;
    } else return;
    this.throttle.request();
  };

  stop(): void {
    this.throttle.stop();
  }

  private add({ run, lines, dropped }: LogFrame): void {
    const known = this.log.lines.get(run) ?? [];
    const ids = new Set(known.map(({ id }) => id));
    const all = known.concat(lines.filter(({ id }) => !ids.has(id)));
    // Half are left out at once, as a gap: what is stored is read again then, and not with each line.
    const isFull = all.length > MAX_LINES;
    this.log = {
      lines: new Map(this.log.lines).set(run, isFull ? all.slice(-MAX_LINES / 2) : all),
      gaps: this.log.gaps + (dropped > 0 || isFull ? 1 : 0),
    };
  }
}
