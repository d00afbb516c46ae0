import type uPlot from "uplot";
import { measured } from "../ui/format/numbers";
import type { Palette } from "./palette";

// uPlot reads whole pixels only.
const FONT = '12px "Inter Variable", system-ui, sans-serif';

/** The time axis: the person's zone, thin grid. */
export function timeAxis(palette: Palette): uPlot.Axis {
  return {
    font: FONT,
    stroke: palette.text,
    grid: { stroke: palette.line, width: 1 },
    ticks: { stroke: palette.line, width: 1, size: 4 },
    space: 72,
    size: 44,
    gap: 3,
    values: [
      [86400, "{DD} {MMM}", "\n{YYYY}", null, null, null, null, null, 1],
      [3600, "{HH}:{mm}", "\n{DD} {MMM}", null, null, null, null, null, 1],
      [60, "{HH}:{mm}", "\n{DD} {MMM}", null, null, null, null, null, 1],
      [1, "{HH}:{mm}:{ss}", "\n{DD} {MMM}", null, null, null, null, null, 1],
      [0.001, ":{ss}.{fff}", "\n{HH}:{mm}", null, null, null, null, null, 1],
    ],
  };
}

/** The value axis, with its unit written at the ticks where it has one. */
export function valueAxis(
  palette: Palette,
  write: (value: number) => string = measured,
  steps?: readonly number[],
): uPlot.Axis {
  return {
    font: FONT,
    stroke: palette.text,
    grid: { stroke: palette.line, width: 1 },
    ticks: { show: false },
    size: (_plot, values) => Math.max(40, 14 + 7 * Math.max(0, ...(values ?? []).map((text) => text.length))),
    gap: 4,
    space: 32,
    ...(steps && { incrs: [...steps] }),
    values: (_plot, splits) => splits.map(write),
  };
}

/** Steps between ticks for whole numbers: 1, 2, 5, 10 … */
export const WHOLE_STEPS: readonly number[] = Array.from({ length: 16 }, (_, power) => 10 ** power).flatMap(
  (power) => [power, 2 * power, 5 * power],
);

/** Steps between ticks for sizes: 1, 2, 4 … bytes, so that ticks are whole KiB and MiB. */
export const SIZE_STEPS: readonly number[] = Array.from({ length: 50 }, (_, power) => 2 ** power);

/** Steps between ticks for durations in seconds: those that clocks have. */
export const DURATION_STEPS: readonly number[] = [
  0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800,
  3_600, 7_200, 21_600, 43_200, 86_400, 604_800,
];

/** A value scale with zero at an end, or within where values have both signs; never flat. */
export function fromZero(_plot: uPlot, min: number | null, max: number | null): [number, number] {
  const low = Math.min(0, min ?? 0);
  const high = Math.max(0, max ?? 0);
  if (low === high) return [0, 1];
  const margin = (high - low) * 0.06;
  return [low < 0 ? low - margin : 0, high > 0 ? high + margin : 0];
}

/** A value scale around the values, for prices and averages whose zero is far away, above or below. */
export function around(plot: uPlot, min: number | null, max: number | null): [number, number] {
  if (min === null || max === null) return fromZero(plot, min, max);
  const [near, far] = min > 0 ? [min, max] : [-max, -min];
  if (near <= 0 || far / near > 1.6) return fromZero(plot, min, max);
  const margin = Math.max((max - min) * 0.12, far * 0.0005);
  return [min - margin, max + margin];
}
