import { useMemo } from "react";
import type uPlot from "uplot";
import { fromZero, timeAxis, valueAxis } from "./axes";
import { LONE_DOTS, spread } from "./points";
import { Plot, type PlotOptions } from "./plot";

export interface HistoryLine {
  label: string;
  values: readonly (number | null)[];
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
  pause?: number;
}

/** A quantity over arrival time. A pause in the measuring is a gap in the line. */
export function HistoryChart({
  times,
  lines,
  write,
  steps,
  label,
  sync,
  height = 168,
  pause = PAUSE_S,
}: HistoryChartProps) {
  const names = lines.map((line) => line.label).join("\n");
  const options = useMemo<PlotOptions>(
    () => (palette) => ({
      cursor: { sync: { key: sync }, drag: { x: false, y: false }, points: { size: 6 } },
      scales: { x: { range: spread }, y: { range: fromZero } },
      axes: [timeAxis(palette), valueAxis(palette, write, steps)],
      series: [
        {
          label: "Time",
          value: (_plot, at: number | null) =>
            at === null ? "–" : new Date(at * 1000).toLocaleTimeString("en-GB"),
        },
        ...names.split("\n").map((name, index): uPlot.Series => ({
          label: name,
          stroke: palette.series(index),
          width: 1.5,
          points: LONE_DOTS,
          value: (_plot, value: number | null) => (value === null ? "–" : write(value)),
        })),
      ],
    }),
    [names, sync, write, steps],
  );
  const data = useMemo<uPlot.AlignedData>(() => brokenData(times, lines, pause), [times, lines, pause]);
  return <Plot options={options} data={data} height={height} label={label} />;
}

const PAUSE_S = 15;

/** Puts a null point into each pause, so that the line is not drawn across what nobody measured. */
export function brokenData(
  times: readonly number[],
  lines: readonly HistoryLine[],
  pause: number = PAUSE_S,
): [number[], ...(number | null)[][]] {
  const x: number[] = [];
  const values: (number | null)[][] = lines.map(() => []);
  times.forEach((at, index) => {
    const before = times[index - 1];
    if (before !== undefined && at - before > pause) {
      x.push(before + 1);
      for (const list of values) list.push(null);
    }
    x.push(at);
    values.forEach((list, line) => list.push(lines[line]?.values[index] ?? null));
  });
  return [x, ...values];
}
