/** Events per second over the last few seconds. */

const SPAN_MS = 5_000;

export class RateMeter {
  private samples: { at: number; amount: number }[] = [];

  add(amount: number, at: number): void {
    this.samples.push({ at, amount });
    this.drop(at);
  }

  perSecond(at: number): number {
    this.drop(at);
    let sum = 0;
    for (const sample of this.samples) sum += sample.amount;
    return sum / (SPAN_MS / 1000);
  }

  private drop(at: number): void {
    while (this.samples[0] && this.samples[0].at <= at - SPAN_MS) this.samples.shift();
  }
}
