/** Renders at most ten times a second and never in a hidden tab; receiving continues. */

export const RENDER_INTERVAL_MS = 100;

export class RenderThrottle {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private last = 0;
  private pending = false;

  constructor(
    private readonly render: () => void,
    private readonly hidden: () => boolean = () => document.hidden,
    /** milliseconds between two drawings; may be made longer when there is much to draw */
    public intervalMs = RENDER_INTERVAL_MS,
  ) {}

  /** Something changed: draws now if the last drawing is old enough, else at the end of the interval. */
  request(): void {
    this.pending = true;
    if (this.timer !== undefined || this.hidden()) return;
    const rest = this.last + this.intervalMs - Date.now();
    this.timer = setTimeout(
      () => {
        this.run();
      },
      Math.max(0, rest),
    );
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
    this.last = Date.now();
    this.render();
  }
}
