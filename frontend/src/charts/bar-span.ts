/** Where bars begin and end. No React. */

/** Parts of the width. */
export interface Span {
  left: number;
  size: number;
}

export interface Scale {
  low: number;
  high: number;
}

/** From the least to the greatest value; zero is always within. */
export function scaleOf(values: readonly number[]): Scale {
  return { low: Math.min(0, ...values), high: Math.max(0, ...values) };
}

/** The bar of a value, between it and zero. */
export function spanOf(value: number, { low, high }: Scale): Span {
  const width = high - low;
  if (width <= 0) return { left: 0, size: 0 };
  return { left: (Math.min(0, value) - low) / width, size: Math.abs(value) / width };
}

/** Where zero is drawn; null: at an end, where nobody needs a line. */
export function zeroAt({ low, high }: Scale): number | null {
  return low < 0 && high > 0 ? -low / (high - low) : null;
}
