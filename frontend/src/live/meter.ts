/** Events per second over the last few seconds. */

const SPAN_MS = 5_000;

export class Meter {
  private marks: { at: number; amount: number }[] = [];

  add(amount: number, at: number): void {
    this.marks.push({ at, amount });
    this.drop(at);
  }

  perSecond(at: number): number {
    this.drop(at);
    let sum = 0;
    for (const mark of this.marks) sum += mark.amount;
    return sum / (SPAN_MS / 1000);
  }

  private drop(at: number): void {
    while (this.marks[0] && this.marks[0].at <= at - SPAN_MS) this.marks.shift();
  }
}
