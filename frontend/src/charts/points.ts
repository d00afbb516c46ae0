import type uPlot from "uplot";

/** Places of values between two gaps: a line through them has no length, so they need a dot. */
export function isolated(values: ArrayLike<number | null | undefined>): number[] {
  const has = (at: number) => values[at] !== null && values[at] !== undefined;
  return Array.from({ length: values.length }, (_, at) => at).filter(
    (at) => has(at) && !has(at - 1) && !has(at + 1),
  );
}

/** Dots only where the line would not show a value. */
export const LONE_DOTS: uPlot.Series.Points = {
  show: false,
  size: 5,
  filter: (plot, series) => {
    const places = isolated(plot.data[series] ?? []);
    return places.length ? places : null;
  },
};

const LONE_MARGIN_S = 60;

/** The full range of x; a single instant gets a minute on both sides, where uPlot would show three years. */
export function spread(plot: uPlot, min: number | null, max: number | null): [number | null, number | null] {
  const [first, ...others] = plot.data[0];
  if (first !== undefined && !others.length) return [first - LONE_MARGIN_S, first + LONE_MARGIN_S];
  return [min, max];
}
