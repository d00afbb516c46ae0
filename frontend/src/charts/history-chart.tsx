import { useMemo, useRef, useEffect } from "react";
import type uPlot from "uplot";
import { shortTime } from "../ui/format/times";
import { fromZero, timeAxis, valueAxis } from "./axes";
import { drawMarks, type ChartMark } from "./chart-marks";
import type { Palette } from "./palette";
import { LONE_DOTS } from "./points";
import { Plot, type PlotOptions } from "./plot";

export interface HistoryLine {
  label: string;
  values: readonly (number | null)[];
  /** the least and the greatest around each value, drawn as a band */
  band?: { min: readonly (number | null)[]; max: readonly (number | null)[] };
  /** colour and dashes of a line that another one is compared with */
  comparedWith?: number;
}

interface HistoryChartProps {
  times: readonly number[];
  lines: readonly HistoryLine[];
  write: (value: number) => string;
  /** steps that ticks may have; decimal ones when absent */
  steps?: readonly number[];
  label: string;
  /** charts of one name share their crosshair */
  sync: string;
  height?: number;
  /** measurements that are further apart than this, in seconds, have a gap between them */
  pause: number;
  /** what is drawn, in epoch seconds: also where nothing was measured */
  from: number;
  until: number;
  marks: readonly ChartMark[];
  /** a range was dragged, in epoch seconds */
  onRange?: (from: number, to: number) => void;
}

interface Shape {
  label: string;
  banded: boolean;
  comparedWith: number | null;
}

/** A quantity over arrival time. A pause in the measuring is a gap in the line. */
export function HistoryChart(props: HistoryChartProps) {
  const { times, lines, write, steps, label, sync, height = 168, pause, from, until, marks, onRange } = props;
  const shape = JSON.stringify(
    lines.map(({ label: name, band, comparedWith }): Shape => ({
      label: name,
      banded: band !== undefined,
      comparedWith: comparedWith ?? null,
    })),
  );
  const dragged = useRef(onRange);
  useEffect(() => {
    dragged.current = onRange;
  });
  const options = useMemo<PlotOptions>(
    () => (palette) => ({
      cursor: {
        sync: { key: sync },
        drag: { x: true, y: false, setScale: false },
        points: { size: 6 },
      },
      scales: { x: { range: (plot) => FRAMES.get(plot.data)?.range ?? [0, 1] }, y: { range: fromZero } },
      axes: [timeAxis(palette), valueAxis(palette, write, steps)],
      ...seriesOf(JSON.parse(shape) as Shape[], palette, write),
      hooks: {
        draw: [
          (plot) => {
            drawMarks(plot, palette, FRAMES.get(plot.data)?.marks ?? []);
          },
        ],
        setSelect: [
          (plot) => {
            const { left, width } = plot.select;
            if (width < MIN_DRAG_PX) return;
            dragged.current?.(plot.posToVal(left, "x"), plot.posToVal(left + width, "x"));
            plot.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
          },
        ],
      },
    }),
    [shape, sync, write, steps],
  );
  const data = useMemo<uPlot.AlignedData>(() => {
    const drawn = brokenData(times, lines, pause);
    FRAMES.set(drawn, { range: [from, until], marks });
    return drawn;
  }, [times, lines, pause, from, until, marks]);
  return <Plot options={options} data={data} height={height} label={label} />;
}

const MIN_DRAG_PX = 8;

/** What changes with the data, and must not make the chart anew. */
const FRAMES = new WeakMap<object, { range: [number, number]; marks: readonly ChartMark[] }>();

/** The lines, and for each band two more that are not drawn but filled between. */
function seriesOf(
  shapes: readonly Shape[],
  palette: Palette,
  write: (value: number) => string,
): Pick<uPlot.Options, "series" | "bands"> {
  const series: uPlot.Series[] = [
    {
      label: "Time",
      value: (_plot, at: number | null) => (at === null ? "–" : shortTime(new Date(at * 1000))),
    },
  ];
  const bands: uPlot.Band[] = [];
  shapes.forEach(({ label, banded, comparedWith }, index) => {
    const color = palette.series(comparedWith ?? index);
    const own = series.length;
    series.push({
      label,
      stroke: color,
      width: 1.5,
      ...(comparedWith !== null && { dash: [5, 4], class: "compared" }),
      points: LONE_DOTS,
      value: (plot, value: number | null, _series, at) =>
        banded && at !== null ? rangeText(plot, own, at, value, write) : value === null ? "–" : write(value),
    });
    if (!banded) return;
    for (const name of ["min", "max"])
      series.push({
        label: `${label} ${name}`,
        class: "band",
        stroke: "transparent",
        points: { show: false },
      });
    bands.push({ series: [own + 2, own + 1], fill: `${color}2e` });
  });
  return { series, bands };
}

/** `3.2 s (0.1 s–9 s)`; without the extremes where all are the same. */
function rangeText(
  plot: uPlot,
  own: number,
  at: number,
  value: number | null,
  write: (value: number) => string,
): string {
  const [min, max] = [plot.data[own + 1]?.[at], plot.data[own + 2]?.[at]];
  const known = value === null ? "–" : write(value);
  if (min === null || min === undefined || max === null || max === undefined || write(min) === write(max))
    return known;
  return `${known} (${write(min)}–${write(max)})`;
}

/** Puts a null point into each pause, so that the line is not drawn across what nobody measured. */
export function brokenData(
  times: readonly number[],
  lines: readonly HistoryLine[],
  pause: number,
): [number[], ...(number | null)[][]] {
  const columns = lines.flatMap(({ values, band }) => (band ? [values, band.min, band.max] : [values]));
  const x: number[] = [];
  const values: (number | null)[][] = columns.map(() => []);
  times.forEach((at, index) => {
    const before = times[index - 1];
    if (before !== undefined && at - before > pause) {
      x.push(before + 1);
      for (const list of values) list.push(null);
    }
    x.push(at);
    values.forEach((list, column) => list.push(columns[column]?.[index] ?? null));
  });
  return [x, ...values];
}
