import { useMemo } from "react";
import type { Mark } from "../api/types";
import type { ChartMark } from "../charts/chart-marks";
import { HistoryChart, type HistoryLine } from "../charts/history-chart";
import { UNKNOWN } from "../ui/format/numbers";
import { Panel } from "../ui/page";
import { TERMS } from "../ui/terms";
import { chartMarks } from "./marks";
import { aligned, comparedText, draggedRange, epochSeconds, type Columns, type HistoryRange } from "./range";
import classes from "./history.module.css";

export interface Chart<Name extends string> {
  title: string;
  unit: string;
  write: (value: number) => string;
  steps?: readonly number[];
  lines: readonly (readonly [string, Name])[];
}

interface HistoryChartsProps<Name extends string> {
  charts: readonly Chart<Name>[];
  history: Columns<Name>;
  /** of the range that this one is compared with */
  before: Columns<Name> | undefined;
  range: HistoryRange;
  marks: readonly Mark[];
  onChange: (change: Partial<HistoryRange>) => void;
}

/** Charts of one range with one crosshair: a line of means, a band from the least to the greatest. */
export function HistoryCharts<Name extends string>(props: HistoryChartsProps<Name>) {
  const { charts, history, marks } = props;
  const times = useMemo(() => epochSeconds(history.at), [history]);
  const drawn = useMemo(() => chartMarks(marks), [marks]);
  return (
    <div className={classes["charts"]}>
      {charts.map((chart) => (
        <OneChart key={`${chart.title} ${chart.unit}`} {...props} chart={chart} times={times} drawn={drawn} />
      ))}
    </div>
  );
}

interface OneChartProps<Name extends string> extends HistoryChartsProps<Name> {
  chart: Chart<Name>;
  times: readonly number[];
  drawn: readonly ChartMark[];
}

function OneChart<Name extends string>(props: OneChartProps<Name>) {
  const { chart, history, before, range, times, drawn, onChange } = props;
  const lines = useMemo(
    () => [...presentLines(chart, history), ...earlierLines(chart, times, before, range.ago)],
    [chart, history, before, range.ago, times],
  );
  const known = lines.some(({ values }) => values.some((value) => value !== null));
  return (
    <Panel
      title={
        <span title={TERMS[chart.title]}>
          {chart.title} <span className="soft">{chart.unit}</span>
        </span>
      }
    >
      {known ? (
        <HistoryChart
          times={times}
          lines={lines}
          write={chart.write}
          {...(chart.steps && { steps: chart.steps })}
          sync="history"
          pause={history.resolution_s * 2.5}
          from={Date.parse(history.from) / 1000}
          until={Date.parse(history.until) / 1000}
          marks={drawn}
          onRange={(from, to) => {
            onChange(draggedRange(from, to));
          }}
          label={`${chart.title}, ${chart.unit}. ${summary(chart, history)}`}
        />
      ) : (
        <p className="soft">Not measured in this range.</p>
      )}
    </Panel>
  );
}

function presentLines<Name extends string>(chart: Chart<Name>, history: Columns<Name>): HistoryLine[] {
  return chart.lines.map(([label, name]) => {
    const { avg, min, max } = history.measures[name];
    return { label, values: avg, ...(min.length > 0 && { band: { min, max } }) };
  });
}

function earlierLines<Name extends string>(
  chart: Chart<Name>,
  times: readonly number[],
  before: Columns<Name> | undefined,
  ago: number,
): HistoryLine[] {
  if (!before?.at.length || !ago) return [];
  return chart.lines.map(([label, name], index) => ({
    label: `${label}, ${comparedText(ago)}`,
    values: aligned(times, before, ago * 60, before.measures[name].avg),
    comparedWith: index,
  }));
}

/** What the chart shows, for who cannot see it: latest mean and greatest value of each line. */
function summary<Name extends string>(chart: Chart<Name>, history: Columns<Name>): string {
  return chart.lines
    .map(([label, name]) => {
      const { avg, max } = history.measures[name];
      const latest = avg.findLast((value) => value !== null);
      const greatest = max.reduce<number | null>(
        (most, value) => (value !== null && (most === null || value > most) ? value : most),
        null,
      );
      const write = (value: number | null | undefined) =>
        value === null || value === undefined ? UNKNOWN : chart.write(value);
      return `${label}: latest ${write(latest)}, greatest ${write(greatest)}.`;
    })
    .join(" ");
}
