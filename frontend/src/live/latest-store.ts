/** The newest frame per name, for channels whose frames replace each other (lag, run states). */

import { RenderThrottle } from "./render-throttle";

export class LatestStore<T> {
  private readonly values = new Map<string, T>();
  private outdated = false;
  private shown: ReadonlyMap<string, T> = new Map();
  private readonly listeners = new Set<() => void>();
  readonly throttle: RenderThrottle;

  constructor(hidden?: () => boolean) {
    this.throttle = new RenderThrottle(() => {
      // Copied once for each drawing: a list of thousands begins with a frame for each.
      this.shown = new Map(this.values);
      for (const listener of this.listeners) listener();
    }, hidden);
  }

  put(name: string, value: T): void {
    if (this.outdated) this.values.clear();
    this.outdated = false;
    this.values.set(name, value);
    this.throttle.request();
  }

  /** All come again: those that are here stay until the first of them does, so that nothing flickers. */
  renew(): void {
    this.outdated = true;
  }

  readonly onChange = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly get = (): ReadonlyMap<string, T> => this.shown;

  stop(): void {
    this.throttle.stop();
  }
}
