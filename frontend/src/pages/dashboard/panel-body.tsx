import { memo, useCallback, useContext, useMemo } from "react";
import { Link } from "wouter";
import type { FieldFilter, Panel, PanelOf, TimeSeriesPanel } from "../../api/types";
import { Bars } from "../../charts/bars";
import { PointMap } from "../../charts/point-map";
import { SeriesChart } from "../../charts/series-chart";
import { StateTimeline } from "../../charts/state-timeline";
import { numeric } from "../../charts/windows";
import { WorkspaceContext } from "../../api/workspace-context";
import { useSharedResult } from "../../api/shared-results";
import type { CachedRow } from "../../live/result-store";
import { brief, counted, plain } from "../../ui/format/numbers";
import { Badge } from "../../ui/status";
import { writtenInstant } from "../../ui/format/times";
import { Table } from "../../ui/table";
import { Time } from "../../ui/time";
import { lanesData } from "./lanes-data";
import {
  cellText,
  mapData,
  numberData,
  seriesData,
  tableData,
  topData,
  type PanelContext,
} from "./panel-data";
import { changeText, toneOf, toneWord, valueText, writerOf, type Tone } from "./value-text";
import { LimitLine, RestLine, StaleLine } from "./panel-lines";
import { JobNotice, PanelNotice, noticeOf } from "./panel-notice";
import classes from "./panel.module.css";

interface PanelBodyProps {
  panel: Panel;
  shared: readonly FieldFilter[];
  spanS: number | null;
  /** many panels share the page: charts are drawn less often than numbers and lists change */
  crowded: boolean;
}

const CROWDED_INTERVAL_MS = 250;

/** What a panel shows of its result, or why it shows nothing. */
export const PanelBody = memo(function PanelBody({ panel, shared, spanS, crowded }: PanelBodyProps) {
  const drawn = !["number", "top_list"].includes(panel.kind);
  const view = useSharedResult(panel.job, crowded && drawn ? CROWDED_INTERVAL_MS : 0);
  const closedUntil = view.closedUntilUs === null ? null : view.closedUntilUs / 1_000_000;
  const context = useMemo<PanelContext>(
    () => ({ filters: panel.filters, shared, spanS, closedUntil }),
    [panel.filters, shared, spanS, closedUntil],
  );
  const notice = noticeOf(view);
  if (notice && !view.rows.length) return <JobNotice job={panel.job} notice={notice} />;
  return (
    <>
      <Drawing panel={panel} rows={view.rows} context={context} truncated={view.truncated} />
      <LimitLine panel={panel} shared={shared} view={view} />
      <StaleLine view={view} />
    </>
  );
});

interface DrawingProps<P extends Panel> {
  panel: P;
  rows: readonly CachedRow[];
  context: PanelContext;
  /** there are more rows than these */
  truncated: boolean;
}

function Drawing({ panel, ...drawn }: DrawingProps<Panel>) {
  switch (panel.kind) {
    case "number":
      return <NumberDrawing panel={panel} {...drawn} />;
    case "top_list":
      return <TopDrawing panel={panel} {...drawn} />;
    case "state_timeline":
      return <LanesDrawing panel={panel} {...drawn} />;
    case "table":
      return <TableDrawing panel={panel} {...drawn} />;
    case "map":
      return <MapDrawing panel={panel} {...drawn} />;
    default:
      return <SeriesDrawing panel={panel} {...drawn} />;
  }
}

function NoMatch() {
  return <PanelNotice title="No matching rows">Change the filters or the time window.</PanelNotice>;
}

function SeriesDrawing({ panel, rows, context, truncated }: DrawingProps<TimeSeriesPanel>) {
  const data = useMemo(() => seriesData(rows, panel, context), [rows, panel, context]);
  if (!data.names.length) return <NoMatch />;
  const newest = data.names.map((name, index) => {
    const value = data.lines[index]?.findLast((one) => one !== null) ?? null;
    return `${name} ${valueText(value, panel.unit)}`;
  });
  const added = panel.aggregation === "sum" || panel.aggregation === "count";
  return (
    <>
      <div className={classes["fill"]}>
        <SeriesChart
          data={data}
          shape={panel.kind}
          stacked={panel.kind === "bar" && added}
          thresholds={panel.thresholds}
          write={writerOf(panel.unit)}
          sync="dashboard"
          label={`${panel.title}. Newest: ${newest.join(", ")}`}
        />
      </div>
      {data.rest > 0 && (
        <RestLine text={counted(data.rest, "more series", "more series")} truncated={truncated} />
      )}
    </>
  );
}

export function NumberDrawing({ panel, rows, context }: DrawingProps<PanelOf<"number">>) {
  const { value, before, at } = numberData(rows, panel, context);
  const tone = toneOf(value, panel.thresholds);
  const change = changeText(value, before, panel.unit);
  return (
    <div className={classes["number"]}>
      <p className={classes["value"]} data-tone={tone ?? undefined}>
        {valueText(value, panel.unit)}
      </p>
      <p className={classes["change"]}>
        {tone && <ToneBadge tone={tone} />}
        {change && <span>{change}</span>}
        {at !== null && (
          <span className="soft">
            <Time at={new Date(at * 1000)} />
          </span>
        )}
      </p>
    </div>
  );
}

function ToneBadge({ tone }: { tone: Tone }) {
  return (
    <Badge tone={tone} plain>
      {toneWord(tone)}
    </Badge>
  );
}

function TopDrawing({ panel, rows, context, truncated }: DrawingProps<PanelOf<"top_list">>) {
  const { entries, rest } = topData(rows, panel, context);
  if (!entries.length) return <NoMatch />;
  const bars = entries.map(({ label, value }) => {
    const tone = toneOf(value, panel.thresholds);
    return { key: label, label, value, ...(tone && { color: `var(--${tone})` }) };
  });
  return (
    <div className={classes["scroll"]} tabIndex={0} role="group" aria-label={`${panel.title}, list`}>
      <Bars
        bars={bars}
        measure={panel.value}
        label={`${panel.title}, largest first`}
        rest={rest}
        least={truncated}
        write={panel.unit ? writerOf(panel.unit) : plainValue}
        still
      />
    </div>
  );
}

function TableDrawing({ panel, rows, context, truncated }: DrawingProps<PanelOf<"table">>) {
  const data = useMemo(() => tableData(rows, panel, context), [rows, panel, context]);
  // Of a read-only link there is no page of the job.
  const member = useContext(WorkspaceContext) !== null;
  if (!data.rows.length) return <NoMatch />;
  const numbers = new Set(
    panel.columns.filter((name) => data.rows.some(({ value }) => typeof value[name] === "number")),
  );
  return (
    <>
      <div className={classes["scroll"]}>
        <Table
          label={`${panel.title}, table`}
          columns={[
            ...panel.columns.map((name) => ({
              name,
              numeric: numbers.has(name),
              cell: ({ value }: CachedRow) => <TableCell panel={panel} name={name} value={value[name]} />,
            })),
            ...(member ? [recordsColumn(panel.job)] : []),
          ]}
          rows={data.rows}
          rowKey={({ id }) => id}
        />
      </div>
      {data.rest > 0 && <RestLine text={counted(data.rest, "more row")} truncated={truncated} />}
    </>
  );
}

/** Leads to the records that made a row. */
function recordsColumn(job: string) {
  return {
    name: "Records behind the row",
    unnamed: true,
    cell: ({ id }: CachedRow) => (
      <Link href={`/jobs/${job}?row=${encodeURIComponent(id)}`} aria-label="Records behind this row">
        Records
      </Link>
    ),
  };
}

/** Numbers with a unit are short; all digits of each number are in its text or its title. */
export function TableCell({ panel, name, value }: { panel: PanelOf<"table">; name: string; value: unknown }) {
  if (value === null || value === undefined) return <span className="soft">null</span>;
  const at = writtenInstant(value);
  if (at) return <Time at={at} />;
  if (name !== panel.value) return <RowValue value={value} unit="" />;
  const measured = numeric(value);
  const tone = toneOf(measured, panel.thresholds);
  return (
    <>
      <RowValue value={value} unit={panel.unit} />
      {tone && (
        <>
          {" "}
          <ToneBadge tone={tone} />
        </>
      )}
    </>
  );
}

function RowValue({ value, unit }: { value: unknown; unit: string }) {
  const exact = typeof value === "number" ? plain(value) : cellText(value);
  const read = unit ? numeric(value) : null;
  if (read !== null) return <span title={exact}>{valueText(read, unit)}</span>;
  // Decimals come as text and are shown as they were written: every digit counts.
  return typeof value === "number" ? <span title={exact}>{brief(value)}</span> : <>{exact}</>;
}

function plainValue(value: number): string {
  return plain(Math.abs(value) >= 1000 ? Math.round(value) : Number(value.toPrecision(6)));
}

function LanesDrawing({ panel, rows, context, truncated }: DrawingProps<PanelOf<"state_timeline">>) {
  const data = useMemo(() => lanesData(rows, panel, context), [rows, panel, context]);
  if (!data.lanes.length) return <NoMatch />;
  const now = data.lanes.map(({ name, spans }) => `${name} ${spans.at(-1)?.state ?? "unknown"}`);
  return (
    <>
      <div className={classes["fill"]}>
        <StateTimeline data={data} label={`${panel.title}. Now: ${now.join(", ")}`} />
      </div>
      {data.rest > 0 && <RestLine text={counted(data.rest, "more key")} truncated={truncated} />}
    </>
  );
}

function MapDrawing({ panel, rows, context, truncated }: DrawingProps<PanelOf<"map">>) {
  const { points, rest } = useMemo(() => mapData(rows, panel, context), [rows, panel, context]);
  const { thresholds } = panel;
  const tone = useCallback((value: number | null) => toneOf(value, thresholds), [thresholds]);
  if (!points.length) return <NoMatch />;
  return (
    <>
      <div className={classes["fill"]}>
        <PointMap
          points={points}
          write={writerOf(panel.unit)}
          tone={tone}
          label={`${panel.title}. ${counted(points.length, "point")}; newest: ${points[0]?.label ?? "none"}`}
        />
      </div>
      {rest > 0 && <RestLine text={`${counted(rest, "older point")} not drawn`} truncated={truncated} />}
    </>
  );
}
