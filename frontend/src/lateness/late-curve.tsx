import { useMemo } from "react";
import type uPlot from "uplot";
import type { Lateness } from "../api/types";
import { valueAxis } from "../charts/axes";
import { Plot, type PlotOptions } from "../charts/plot";
import { seconds } from "../ui/format/durations";
import { share } from "../ui/format/numbers";

const HEIGHT = 160;

interface LateCurveProps {
  late: Lateness["late"];
  /** index of the chosen one, which the legend shows */
  at: number;
  /** what is chosen */
  what?: string;
}

/** The share of records that each delay makes late. */
export function LateCurve({ late, at, what = "Delay" }: LateCurveProps) {
  const data = useMemo<uPlot.AlignedData>(
    () => [late.map((_, index) => index), late.map((one) => one.share)],
    [late],
  );
  const options = useMemo<PlotOptions>(
    () => (palette) => ({
      cursor: { drag: { x: false, y: false } },
      scales: { x: { time: false }, y: { range: [0, Math.max(0.01, ...late.map((one) => one.share))] } },
      axes: [
        {
          stroke: palette.text,
          grid: { show: false },
          splits: () => late.map((_, index) => index).filter((index) => index % 3 === 0),
          values: (_plot, splits) => splits.map((index) => seconds(late[index]?.delay_seconds)),
        },
        valueAxis(palette, share),
      ],
      legend: { live: true },
      series: [
        {
          label: what,
          value: (_plot, index: number | null) =>
            index === null ? "–" : seconds(late[index]?.delay_seconds),
        },
        {
          label: "Late at most",
          stroke: palette.series(0),
          width: 1.5,
          value: (_plot, part: number | null) => (part === null ? "–" : share(part)),
        },
      ],
    }),
    [late, what],
  );
  return (
    <Plot
      options={options}
      data={data}
      height={HEIGHT}
      rest={at}
      label={`Share of records that would be late, by ${what.toLowerCase()}`}
    />
  );
}
