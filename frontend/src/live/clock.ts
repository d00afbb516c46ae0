/** When to draw: at most ten times a second, and never in a hidden tab. Following goes on all the while. */

export const DRAW_EVERY_MS = 100;

export class DrawClock {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private last = 0;
  private wanted = false;

  constructor(
    private readonly draw: () => void,
    private readonly hidden: () => boolean = () => document.hidden,
    /** milliseconds between two drawings; may be made longer when there is much to draw */
    public every = DRAW_EVERY_MS,
  ) {}

  /** Something changed: draws now if the last drawing is old enough, else at the end of the interval. */
  request(): void {
    this.wanted = true;
    if (this.timer !== undefined || this.hidden()) return;
    const rest = this.last + this.every - Date.now();
    this.timer = setTimeout(() => {
      this.run();
    }, Math.max(0, rest));
  }

  /** The tab is seen again: draws what changed meanwhile. */
  wake(): void {
    if (this.wanted) this.request();
  }

  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  private run(): void {
    this.timer = undefined;
    if (this.hidden()) return;
    this.wanted = false;
    this.last = Date.now();
    this.draw();
  }
}
