/** Whether the other side of a connection is still there, told by what comes from it. No React. */

/** After so long without a frame the server is asked for one. */
export const QUIET_MS = 20_000;
/** An answer, and a connection that is being opened, may take so long. */
export const ANSWER_MS = 10_000;

export class Liveness {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private asked = false;

  /**
   * @param ask sends what the server answers
   * @param gone called once when nothing came in time
   */
  constructor(
    private readonly ask: () => void,
    private readonly gone: () => void,
  ) {}

  /** A connection is being opened. */
  opening(): void {
    this.asked = true;
    this.wait(ANSWER_MS);
  }

  /** Something came. */
  heard(): void {
    this.asked = false;
    this.wait(QUIET_MS);
  }

  /** Asks at once, unless an answer is waited for already. */
  check(): void {
    if (this.asked) return;
    this.asked = true;
    this.ask();
    this.wait(ANSWER_MS);
  }

  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  private wait(ms: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      if (this.asked) this.gone();
      else this.check();
    }, ms);
  }
}
