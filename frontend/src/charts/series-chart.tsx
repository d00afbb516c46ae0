import { useMemo } from "react";
import uPlot from "uplot";
import { shortTime } from "../ui/format/times";
import { around, fromZero, timeAxis, valueAxis } from "./axes";
import type { Palette } from "./palette";
import { Plot, type PlotOptions } from "./plot";
import { LONE_DOTS, spread } from "./points";

export interface SeriesData {
  /** epoch seconds, ascending */
  times: readonly number[];
  /** seconds between windows; null: the instants are others */
  step: number | null;
  names: readonly string[];
  /** a list per name; null draws a gap */
  lines: readonly (readonly (number | null)[])[];
  /** series that are not drawn */
  rest: number;
}

export interface ThresholdLine {
  value: number;
  tone: "good" | "warn" | "bad";
}

interface SeriesChartProps {
  data: SeriesData;
  shape: "line" | "area" | "bar";
  /** series on top of each other: only what can be added up */
  stacked: boolean;
  thresholds: readonly ThresholdLine[];
  /** how values are written */
  write: (value: number) => string;
  /** charts of one name share their crosshair */
  sync: string;
  /** what the chart shows, in words */
  label: string;
}

/** Series along time, as large as the box around it. */
export function SeriesChart({ data, shape, stacked, thresholds, write, sync, label }: SeriesChartProps) {
  // As a text, so that the chart stays while its names do; a name may have any character.
  const names = JSON.stringify(data.names.length ? data.names : [""]);
  const limits = JSON.stringify(thresholds);
  const spanGaps = data.step === null && !stacked; // each key has its own instants
  const options = useMemo<PlotOptions>(
    () => (palette) => ({
      cursor: { sync: { key: sync }, drag: { x: false, y: false }, points: { size: 6 } },
      scales: {
        x: { range: shape === "bar" ? barSpread : spread },
        y: { range: shape === "line" ? around : fromZero },
      },
      axes: [timeAxis(palette), valueAxis(palette, write)],
      legend: { live: true, markers: { stroke: (_plot, index) => palette.series(index - 1) } },
      series: [
        {
          label: "Time",
          value: (_plot, at: number | null) => (at === null ? "–" : shortTime(new Date(at * 1000))),
        },
        ...(JSON.parse(names) as string[]).map((name, index) => ({
          ...seriesOf(name, index, shape, palette, write),
          spanGaps,
        })),
      ],
      hooks: {
        draw: [
          (plot) => {
            drawThresholds(plot, palette, JSON.parse(limits) as ThresholdLine[]);
          },
        ],
      },
    }),
    [names, shape, write, sync, limits, spanGaps],
  );
  const aligned = useMemo(() => alignedData(data, stacked), [data, stacked]);
  return <Plot options={options} data={aligned} height="fill" label={label} rest={newestWhole(data)} />;
}

/** The index of the newest instant at which every series has a value; the last one where there is none. */
function newestWhole({ times, lines }: SeriesData): number {
  const found = times.findLastIndex((_, index) => lines.every((line) => line[index] !== null));
  return found < 0 ? times.length - 1 : found;
}

// The data as they are: for the legend, as what is drawn may be stacked, and for the width of bars.
const RAW = new WeakMap<object, SeriesData>();

function alignedData(data: SeriesData, stacked: boolean): uPlot.AlignedData {
  const { times, lines } = data;
  const drawn = stacked ? stack(lines) : lines.map((line) => [...line]);
  const aligned: uPlot.AlignedData = [[...times], ...(drawn.length ? drawn : [times.map(() => null)])];
  RAW.set(aligned, data);
  return aligned;
}

/**
 * Each series with all after it below: the first is drawn first, and the others over it. What is negative
 * hangs below zero, apart from the rest.
 */
export function stack(lines: SeriesData["lines"]): (number | null)[][] {
  const [above, below]: [number[], number[]] = [[], []];
  const stacked = [...lines].reverse().map((line) => {
    // A zero must not jump to the other side.
    const hangs =
      line.some((value) => value !== null && value < 0) && !line.some((value) => (value ?? 0) > 0);
    return line.map((value, index) => {
      if (value === null) return null;
      const side = value < 0 || (value === 0 && hangs) ? below : above;
      return (side[index] = (side[index] ?? 0) + value);
    });
  });
  return stacked.reverse();
}

function seriesOf(
  name: string,
  index: number,
  shape: SeriesChartProps["shape"],
  palette: Palette,
  write: (value: number) => string,
): uPlot.Series {
  const color = palette.series(index);
  return {
    label: name,
    stroke: color,
    width: shape === "bar" ? 0 : 1.5,
    points: shape === "bar" ? { show: false } : LONE_DOTS,
    ...(shape === "area" && { fill: `${color}2e` }),
    ...(shape === "bar" && { fill: color, paths: barPaths }),
    value: (plot, value: number | null, _series, at) => {
      const raw = at === null ? value : (RAW.get(plot.data)?.lines[index]?.[at] ?? null);
      return raw === null ? "–" : write(raw);
    },
  };
}

const BARS = uPlot.paths.bars?.({ size: [0.8, 40] });
const MANY_BARS = 60;

/** Bars; many of them as one outline, because hundreds of rectangles take ten times as long to fill. */
const barPaths: uPlot.Series.PathBuilder = (plot, series, from, to) =>
  plot.data[0].length > MANY_BARS
    ? { stroke: null, fill: outline(plot, series), flags: 0 }
    : (BARS?.(plot, series, from, to) ?? null);

function outline(plot: uPlot, series: number): Path2D {
  const [times] = plot.data;
  const path = new Path2D();
  const x = (at: number) => plot.valToPos(at, "x", true);
  const y = (value: number) => plot.valToPos(value, "y", true);
  for (const run of barRuns(times, plot.data[series] ?? [], barWidth(times, stepOf(plot)))) {
    path.moveTo(x(run[0]?.from ?? 0), y(0));
    for (const { from, to, value } of run) {
      path.lineTo(x(from), y(value));
      path.lineTo(x(to), y(value));
    }
    path.lineTo(x(run.at(-1)?.to ?? 0), y(0));
  }
  return path;
}

interface BarPlace {
  /** epoch seconds */
  from: number;
  to: number;
  value: number;
}

/** Bars that go on to the next instant, the last one for `width` seconds, in runs without gaps. */
export function barRuns(
  times: ArrayLike<number>,
  values: ArrayLike<number | null | undefined>,
  width: number,
): BarPlace[][] {
  const runs: BarPlace[][] = [];
  let run: BarPlace[] = [];
  for (let index = 0; index < times.length; index += 1) {
    const from = times[index] ?? 0;
    const value = values[index] ?? null;
    if (value === null) run = [];
    else if (run.push({ from, to: times[index + 1] ?? from + width, value }) === 1) runs.push(run);
  }
  return runs;
}

function stepOf(plot: uPlot): number | null {
  return RAW.get(plot.data)?.step ?? null;
}

/** In seconds: that of a window; for other instants their distance on average. */
function barWidth(times: ArrayLike<number>, step: number | null): number {
  const [first, last] = [times[0] ?? 0, times[times.length - 1] ?? 0];
  return step ?? (last - first) / Math.max(1, times.length - 1);
}

const barSpread = (plot: uPlot, min: number | null, max: number | null): [number | null, number | null] => {
  const [times] = plot.data;
  return times.length > 1 ? barRange(times, barWidth(times, stepOf(plot))) : spread(plot, min, max);
};

/** The range of x that shows whole bars: a few stand around their instants, many go on from them. */
export function barRange(times: ArrayLike<number>, width: number): [number, number] {
  const [first, last] = [times[0] ?? 0, times[times.length - 1] ?? 0];
  return times.length > MANY_BARS ? [first, last + width] : [first - width / 2, last + width / 2];
}

function drawThresholds(plot: uPlot, palette: Palette, thresholds: readonly ThresholdLine[]): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.lineWidth = uPlot.pxRatio;
  ctx.setLineDash([6 * uPlot.pxRatio, 4 * uPlot.pxRatio]);
  for (const { value, tone } of thresholds) {
    const y = plot.valToPos(value, "y", true);
    if (!(y >= bbox.top && y <= bbox.top + bbox.height)) continue;
    ctx.strokeStyle = palette.tone(tone);
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
  }
  ctx.restore();
}
