/** Puts values of several rows together. No React. */

import type { Aggregation } from "../../api/types";

/** A running aggregate. `value` is null until a row had a number (0 for a count). */
export class Accumulator {
  private sum = 0;
  private seen = 0;
  private low = Infinity;
  private high = -Infinity;
  private newest = -Infinity;
  private lastValue: number | null = null;
  private rows = 0;

  /**
   * @param value null counts as a row, and as nothing else
   * @param newest Kafka timestamp of the row's newest input: `last` takes the greatest
   */
  add(value: number | null, newest: number): void {
    this.rows += 1;
    if (value === null) return;
    this.sum += value;
    this.seen += 1;
    if (value < this.low) this.low = value;
    if (value > this.high) this.high = value;
    if (newest >= this.newest) {
      this.newest = newest;
      this.lastValue = value;
    }
  }

  value(how: Aggregation): number | null {
    if (how === "count") return this.rows;
    if (!this.seen) return null;
    return { sum: this.sum, avg: this.sum / this.seen, min: this.low, max: this.high, last: this.lastValue }[
      how
    ];
  }
}
