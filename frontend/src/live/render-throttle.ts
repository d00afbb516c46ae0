/**
 * Renders at most five times a second, faster than anyone reads, and never in a hidden tab; receiving
 * continues.
 */

export const RENDER_INTERVAL_MS = 200;

export class RenderThrottle {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private last = 0;
  private pending = false;

  constructor(
    private readonly render: () => void,
    private readonly hidden: () => boolean = () => document.hidden,
    /** milliseconds between two drawings; may be made longer when there is much to draw */
    public intervalMs = RENDER_INTERVAL_MS,
    /** draws at whole multiples of the interval: several on a page then share the browser's frames */
    public aligned = false,
  ) {}

  /** Something changed: draws now if the last drawing is old enough, else at the end of the interval. */
  request(): void {
    this.pending = true;
    if (this.timer !== undefined || this.hidden()) return;
    const now = Date.now();
    // A clock that was set back must not hold up the drawing until it has caught up.
    const since = Math.max(0, now - this.last);
    const soonest = now + Math.max(0, this.intervalMs - since);
    const due = this.aligned ? Math.ceil(soonest / this.intervalMs) * this.intervalMs : soonest;
    this.timer = setTimeout(() => {
      this.run();
    }, due - now);
  }

  /** The tab is seen again: draws what changed meanwhile. */
  wake(): void {
    if (this.pending) this.request();
  }

  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  private run(): void {
    this.timer = undefined;
    if (this.hidden()) return;
    this.pending = false;
    // A timer that fired late must not push the next drawing past its own multiple.
    this.last = this.aligned ? Math.floor(Date.now() / this.intervalMs) * this.intervalMs : Date.now();
    this.render();
  }
}
