/**
 * When the rows of a result are due to be asked for anew: no deletion comes for rows that expire
 * (docs/protocol.md, "Expired rows"). No React.
 */

import { renewalPause } from "./pauses";

export class SnapshotRenewal {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isDue = false;

  /**
   * @param renew asks for a snapshot
   * @param hidden nobody sees the rows: they are asked for once somebody does
   */
  constructor(
    private readonly renew: () => void,
    private readonly hidden: () => boolean,
  ) {}

  /** A whole snapshot came. */
  renewed(): void {
    this.stop();
    this.timer = setTimeout(() => {
      this.isDue = true;
      this.seen();
    }, renewalPause());
  }

  /** The page may be seen again. */
  seen(): void {
    if (!this.isDue || this.hidden()) return;
    this.isDue = false;
    this.renew();
  }

  stop(): void {
    clearTimeout(this.timer);
    this.isDue = false;
  }
}
