import { Button } from "@mantine/core";
import { useMemo, useState } from "react";
import type { HistoryPoint } from "../../../api/types";
import { DURATION_STEPS, SIZE_STEPS } from "../../../charts/axes";
import { HistoryChart, type HistoryLine } from "../../../charts/history-chart";
import { duration, seconds } from "../../../ui/format/durations";
import { bytes, measured, UNKNOWN } from "../../../ui/format/numbers";
import { Panel } from "../../../ui/page";
import { Empty } from "../../../ui/placeholders";
import { Table, type Column } from "../../../ui/table";
import { TERMS } from "../../../ui/terms";
import { Time } from "../../../ui/time";
import classes from "./lag.module.css";

type Quantity = Exclude<keyof HistoryPoint, "at">;

interface Chart {
  title: string;
  unit: string;
  write: (value: number) => string;
  steps?: readonly number[];
  lines: readonly (readonly [string, Quantity])[];
}

const LATENCY_STEPS = DURATION_STEPS.map((step) => step * 1000);

const CHARTS: readonly Chart[] = [
  {
    title: "Consumer lag",
    unit: "time",
    write: seconds,
    steps: DURATION_STEPS,
    lines: [["Lag", "lag_seconds"]],
  },
  { title: "Consumer lag", unit: "records", write: measured, lines: [["Records", "lag_records"]] },
  {
    title: "Rows",
    unit: "per second",
    write: measured,
    lines: [
      ["In", "rows_in_per_second"],
      ["Out", "rows_out_per_second"],
    ],
  },
  {
    title: "End-to-end latency",
    unit: "p50",
    write: duration,
    steps: LATENCY_STEPS,
    lines: [["Latency", "latency_ms_p50"]],
  },
  { title: "State", unit: "size", write: bytes, steps: SIZE_STEPS, lines: [["State", "state_bytes"]] },
  {
    title: "Dropped",
    unit: "records",
    write: measured,
    lines: [
      ["Malformed", "malformed"],
      ["Late (minimum)", "late"],
    ],
  },
  {
    title: "Null values",
    unit: "rows",
    write: measured,
    lines: [
      ["Expression errors", "expression_nulls"],
      ["Measure limits", "limit_reached"],
    ],
  },
];

/** The last hour, with one crosshair for all charts. */
export function HistoryCharts({ points }: { points: readonly HistoryPoint[] }) {
  const [asTable, setAsTable] = useState(false);
  const times = useMemo(() => points.map(({ at }) => Date.parse(at) / 1000), [points]);
  if (points.length < 2)
    return (
      <Panel>
        <Empty title="No history yet">Charts appear after the first two measurements.</Empty>
      </Panel>
    );
  return (
    <>
      <div style={{ textAlign: "right" }}>
        <Button
          variant="subtle"
          aria-pressed={asTable}
          onClick={() => {
            setAsTable(!asTable);
          }}
        >
          {asTable ? "Show charts" : "Show as table"}
        </Button>
      </div>
      {asTable ? (
        <Panel flush>
          <Table
            label="Last hour, newest first"
            columns={COLUMNS}
            rows={[...points].reverse()}
            rowKey={({ at }) => at}
          />
        </Panel>
      ) : (
        <div className={classes["charts"]}>
          {CHARTS.map((chart) => (
            <OneChart key={`${chart.title} ${chart.unit}`} chart={chart} points={points} times={times} />
          ))}
        </div>
      )}
    </>
  );
}

const COLUMNS: readonly Column<HistoryPoint>[] = [
  { name: "Time", cell: ({ at }) => <Time at={at} /> },
  ...CHARTS.flatMap((chart) =>
    chart.lines.map(([label, quantity]): Column<HistoryPoint> => ({
      name:
        chart.lines.length > 1
          ? `${chart.title}: ${label.toLowerCase()}, ${chart.unit}`
          : `${chart.title}, ${chart.unit}`,
      numeric: true,
      cell: (point) => write(chart, point[quantity]),
    })),
  ),
];

function OneChart({
  chart,
  points,
  times,
}: {
  chart: Chart;
  points: readonly HistoryPoint[];
  times: readonly number[];
}) {
  const lines = useMemo<HistoryLine[]>(
    () => chart.lines.map(([label, quantity]) => ({ label, values: points.map((point) => point[quantity]) })),
    [chart, points],
  );
  const known = lines.some(({ values }) => values.some((value) => value !== null));
  const last = lines
    .map(
      ({ label, values }) =>
        `${label} ${write(
          chart,
          values.findLast((value) => value !== null),
        )}`,
    )
    .join(", ");
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
          label={`${chart.title}, ${chart.unit}, last hour. Latest: ${last}`}
        />
      ) : (
        <p className="soft">No data in the last hour.</p>
      )}
    </Panel>
  );
}

function write(chart: Chart, value: number | null | undefined): string {
  return value === null || value === undefined ? UNKNOWN : chart.write(value);
}
