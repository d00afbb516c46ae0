import { useMemo } from "react";
import type uPlot from "uplot";
import { plain } from "../ui/format/numbers";
import { shortTime } from "../ui/format/times";
import { around, fromZero, timeAxis, valueAxis, WHOLE_STEPS } from "./axes";
import { Plot, type PlotOptions } from "./plot";
import type { Palette } from "./palette";
import { LONE_DOTS, spread } from "./points";
import { summary, type WindowChartData } from "./windows";

interface WindowChartProps {
  chart: WindowChartData;
  measure: string;
  counts: boolean;
  height: number;
}

/** Windows along their start in event time; those that are not closed yet are shaded. */
export function WindowChart({ chart, measure, counts, height }: WindowChartProps) {
  // As a text, so that the chart stays while its names do; a name may have any character.
  const names = JSON.stringify(chart.series.map(({ label }) => label));
  const filling = chart.fillingFrom;
  const spanGaps = chart.step === null; // nobody has a window where another key's begins
  const options = useMemo<PlotOptions>(
    () => (palette) => ({
      cursor: { drag: { x: false, y: false }, points: { size: 6 } },
      scales: { x: { range: spread }, y: { range: counts ? fromZero : around } },
      axes: [timeAxis(palette), valueAxis(palette, undefined, counts ? WHOLE_STEPS : undefined)],
      legend: { live: true, markers: { stroke: (_plot, index) => palette.series(index - 1) } },
      series: [
        {
          label: "Window start",
          value: (_plot, at: number | null) => (at === null ? "–" : shortTime(new Date(at * 1000))),
        },
        ...(JSON.parse(names) as string[]).map((label, index): uPlot.Series => ({
          label,
          stroke: (plot) => fading(plot, palette.series(index)),
          width: 1.5,
          spanGaps,
          points: LONE_DOTS,
          value: (_plot, value: number | null) => (value === null ? "–" : plain(value)),
        })),
      ],
      hooks: {
        drawClear: [
          (plot) => {
            shade(plot, palette, fillingOf(plot));
          },
        ],
      },
    }),
    [names, counts, spanGaps],
  );
  const data = useMemo<uPlot.AlignedData>(() => {
    const copy: uPlot.AlignedData = [...chart.data];
    FILLING.set(copy, filling);
    return copy;
  }, [chart, filling]);
  const closed = newestClosed(chart);
  return (
    <Plot
      options={options}
      data={data}
      height={height}
      {...(closed >= 0 && { rest: closed })}
      label={summary(chart, measure)}
    />
  );
}

/** The index of the newest window that is complete and has a value; -1 where there is none. */
function newestClosed({ data: [times, ...lines], fillingFrom }: WindowChartData): number {
  return times.findLastIndex(
    (at, index) => (fillingFrom === null || at < fillingFrom) && lines.some((line) => line[index] !== null),
  );
}

// The first open window travels with the data, so that a new one does not rebuild the chart.
const FILLING = new WeakMap<object, number | null>();

function fillingOf(plot: uPlot): number | null {
  return FILLING.get(plot.data) ?? null;
}

/** The colour of a line: weaker where windows are open, because those values may still change. */
function fading(plot: uPlot, colour: string): CanvasGradient | string {
  const from = fillingOf(plot);
  const { left, width } = plot.bbox;
  if (from === null || !width || typeof plot.scales["x"]?.min !== "number") return colour;
  const at = (plot.valToPos(from, "x", true) - left) / width;
  if (at <= 0) return `${colour}59`;
  if (!(at < 1)) return colour;
  const gradient = plot.ctx.createLinearGradient(left, 0, left + width, 0);
  gradient.addColorStop(at, colour);
  gradient.addColorStop(at, `${colour}59`);
  return gradient;
}

function shade(plot: uPlot, palette: Palette, from: number | null): void {
  if (from === null) return;
  const { ctx, bbox } = plot;
  const left = Math.max(bbox.left, plot.valToPos(from, "x", true));
  const right = bbox.left + bbox.width;
  if (left >= right) return;
  ctx.save();
  ctx.fillStyle = palette.fill;
  ctx.globalAlpha = 0.35;
  ctx.fillRect(left, bbox.top, right - left, bbox.height);
  ctx.restore();
}
