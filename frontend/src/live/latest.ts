/** The newest frame per name, for channels whose frames replace each other (lag, run states). */

import { DrawClock } from "./clock";

export class LatestStore<T> {
  private values: ReadonlyMap<string, T> = new Map();
  private shown: ReadonlyMap<string, T> = this.values;
  private readonly listeners = new Set<() => void>();
  readonly clock: DrawClock;

  constructor(hidden?: () => boolean) {
    this.clock = new DrawClock(() => {
      this.shown = this.values;
      for (const listener of this.listeners) listener();
    }, hidden);
  }

  put(name: string, value: T): void {
    this.values = new Map(this.values).set(name, value);
    this.clock.request();
  }

  readonly onChange = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly get = (): ReadonlyMap<string, T> => this.shown;

  stop(): void {
    this.clock.stop();
  }
}
