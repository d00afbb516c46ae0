/** A result's view that changes less often than its rows: for what is dear to draw. No React. */

import type { ResultStore, ResultView } from "./result-store";

export class SteadyView {
  private view: ResultView;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly listeners = new Set<() => void>();
  private leave: (() => void) | undefined;

  /** @param intervalMs changes come at whole multiples of it, so that several on a page share a frame */
  constructor(
    private readonly store: ResultStore,
    private readonly intervalMs: number,
  ) {
    this.view = store.view;
  }

  readonly getView = (): ResultView => this.view;

  /** Follows the store while somebody listens. */
  readonly onView = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    if (!this.leave) {
      this.view = this.store.view; // as it is now: nobody listened while it changed
      this.leave = this.store.onView(this.request);
    }
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size) return;
      this.leave?.();
      this.leave = undefined;
      clearTimeout(this.timer);
      this.timer = undefined;
    };
  };

  private readonly request = (): void => {
    // The first rows are shown at once.
    if (this.view.phase !== this.store.view.phase) this.show();
    else this.timer ??= setTimeout(this.show, this.intervalMs - (Date.now() % this.intervalMs));
  };

  private readonly show = (): void => {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.view = this.store.view;
    for (const listener of this.listeners) listener();
  };
}
