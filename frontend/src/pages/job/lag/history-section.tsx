import { Button } from "@mantine/core";
import { useMemo, useState } from "react";
import { useJobHistory, useJobMarks } from "../../../api/history";
import type { JobHistory } from "../../../api/types";
import { DURATION_STEPS, SIZE_STEPS } from "../../../charts/axes";
import { HistoryCharts, type Chart } from "../../../history/history-charts";
import { LAG_CHARTS } from "../../../history/lag-charts";
import { MarkList } from "../../../history/mark-list";
import { NothingMeasured, PointsText } from "../../../history/points-text";
import { RangeBar, useRange } from "../../../history/range-bar";
import { countSpans, type Columns } from "../../../history/range";
import { duration, seconds } from "../../../ui/format/durations";
import { bytes, measured, UNKNOWN } from "../../../ui/format/numbers";
import { Panel } from "../../../ui/page";
import { QueryResult } from "../../../ui/query-result";
import { RequestError } from "../../../ui/request-error";
import { Table, type Column } from "../../../ui/table";
import { Time } from "../../../ui/time";
import classes from "./lag.module.css";

type Quantity = keyof JobHistory["measures"] | keyof JobHistory["counts"];
type JobColumns = Columns<Quantity>;

const LATENCY_STEPS = DURATION_STEPS.map((step) => step * 1000);

function chartsOf(resolution: string): Chart<Quantity>[] {
  return [
    ...LAG_CHARTS,
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
      title: "Freshness",
      unit: "age of the newest input in the results",
      write: seconds,
      steps: DURATION_STEPS,
      lines: [["Age", "freshness_seconds"]],
    },
    {
      title: "End-to-end latency",
      unit: "median",
      write: duration,
      steps: LATENCY_STEPS,
      lines: [["Latency", "latency_ms"]],
    },
    {
      title: "Watermark",
      unit: "time behind the clock",
      write: seconds,
      steps: DURATION_STEPS,
      lines: [["Behind", "watermark_delay_seconds"]],
    },
    { title: "State", unit: "size", write: bytes, steps: SIZE_STEPS, lines: [["State", "state_bytes"]] },
    { title: "State", unit: "rows", write: measured, lines: [["Rows", "state_rows"]] },
    {
      title: "Dropped",
      unit: `records per ${resolution}`,
      write: measured,
      lines: [
        ["Malformed", "malformed"],
        ["Late (minimum)", "late"],
      ],
    },
    {
      title: "Null values",
      unit: `rows per ${resolution}`,
      write: measured,
      lines: [
        ["Expression errors", "expression_nulls"],
        ["Measure limits", "limit_reached"],
      ],
    },
  ];
}

/** The history of a job over any range of the last 30 days. */
export function HistorySection({ jobId }: { jobId: string }) {
  const [range, change] = useRange();
  const history = useJobHistory(jobId, { ...range, ago: 0 });
  const before = useJobHistory(jobId, range, range.ago > 0);
  const marks = useJobMarks(jobId, { ...range, ago: 0 });
  const [asTable, setAsTable] = useState(false);
  const compared = range.ago ? before.data : undefined;
  const earlier = useMemo(() => compared && columnsOf(compared), [compared]);
  return (
    <>
      <RangeBar range={range} onChange={change}>
        <Button
          variant="subtle"
          aria-pressed={asTable}
          onClick={() => {
            setAsTable(!asTable);
          }}
        >
          {asTable ? "Show charts" : "Show as table"}
        </Button>
      </RangeBar>
      <RequestError
        what="Couldn't load the comparison"
        error={range.ago ? before.error : null}
        onRetry={before.refetch}
      />
      <QueryResult query={history} what="history">
        {(read) => {
          return (
            <>
              <PointsText points={read} earlier={earlier} ago={range.ago} />
              {read.at.length === 0 ? (
                <NothingMeasured>
                  The first point appears seconds after the job starts reading.
                </NothingMeasured>
              ) : asTable ? (
                <HistoryTable history={read} />
              ) : (
                <JobCharts
                  history={read}
                  before={earlier}
                  range={range}
                  marks={marks.data?.results ?? []}
                  onChange={change}
                />
              )}
            </>
          );
        }}
      </QueryResult>
      <MarkList query={marks} />
    </>
  );
}

function JobCharts({
  history,
  ...props
}: Omit<Parameters<typeof HistoryCharts<Quantity>>[0], "charts" | "history"> & { history: JobHistory }) {
  const columns = useMemo(() => columnsOf(history), [history]);
  const charts = useMemo(() => chartsOf(seconds(history.resolution_s)), [history.resolution_s]);
  return <HistoryCharts charts={charts} history={columns} {...props} />;
}

function columnsOf(history: JobHistory): JobColumns {
  const { malformed, late, expression_nulls, limit_reached } = history.counts;
  return {
    ...history,
    measures: {
      ...history.measures,
      malformed: countSpans(malformed),
      late: countSpans(late),
      expression_nulls: countSpans(expression_nulls),
      limit_reached: countSpans(limit_reached),
    },
  };
}

const MAX_ROWS = 400;

/** The same as numbers, the newest first: means, and greatest where they differ. */
function HistoryTable({ history }: { history: JobHistory }) {
  const { measures } = columnsOf(history);
  const charts = chartsOf(seconds(history.resolution_s));
  const columns: Column<number>[] = [
    { name: "Time", cell: (index) => <Time at={history.at[index] ?? null} /> },
    ...charts.flatMap((chart) =>
      chart.lines.map(([label, quantity]): Column<number> => ({
        name:
          chart.lines.length > 1
            ? `${chart.title}: ${label.toLowerCase()}, ${chart.unit}`
            : `${chart.title}, ${chart.unit}`,
        numeric: true,
        cell: (index) => {
          const { avg, max } = measures[quantity];
          return cellText(chart.write, avg[index], max[index]);
        },
      })),
    ),
  ];
  const rows = history.at
    .map((_, index) => index)
    .slice(-MAX_ROWS)
    .reverse();
  return (
    <Panel
      flush
      {...(history.at.length > MAX_ROWS && {
        title: `The newest ${String(MAX_ROWS)} points`,
        aside: <span className="soft">a shorter range shows all of its points</span>,
      })}
    >
      <div className={classes["history"]}>
        <Table
          label="History, newest first"
          columns={columns}
          rows={rows}
          rowKey={(index) => history.at[index] ?? ""}
        />
      </div>
    </Panel>
  );
}

function cellText(
  write: (value: number) => string,
  mean: number | null | undefined,
  most: number | null | undefined,
): string {
  if (mean === null || mean === undefined) return UNKNOWN;
  const text = write(mean);
  return most === null || most === undefined || write(most) === text ? text : `${text} (max ${write(most)})`;
}
