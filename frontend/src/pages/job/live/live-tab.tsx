import { memo, useEffect, useMemo } from "react";
import { useResults } from "../../../api/live";
import type { Job, SchemaField } from "../../../api/types";
import { Panel } from "../../../ui/page";
import { usePageFindings } from "../diagnosis/use-page-findings";
import { useUrlState } from "../../../ui/url-state";
import { Badge } from "../../../ui/status";
import { parseKeys } from "./chosen-keys";
import { ChartTitle } from "./chart-title";
import { HiddenRows } from "./hidden-rows";
import { NoRows } from "./no-rows";
import { RowInputsPanel } from "./row-inputs";
import { ResultChart } from "./result-chart";
import { ResultTable } from "./result-table";
import { earlierFields, initialSort, shapeOf } from "./row-shape";
import { StatusBar } from "./status-bar";
import { Toolbar } from "./toolbar";
import { useInstants } from "./use-instants";
import { useLabels } from "./use-labels";
import { sortRows } from "./sort";
import classes from "./live.module.css";

/** The newest rows by key, and a chart where one fits them: beside windows, after everything else. */
export const LiveTab = memo(function LiveTab({ job }: { job: Job }) {
  const { store, view } = useResults(job.id);
  const [pausedText, setPaused] = useUrlState("pause", "");
  const paused = pausedText === "1";
  useEffect(() => {
    store.setPaused(paused);
  }, [store, paused]);
  const sample = job.result.schema.length ? undefined : view.rows[0]?.value;
  const instants = useInstants(job.result.schema, view.rows);
  // As a text, so that the shape stays the same object while rows change.
  const earlier = JSON.stringify(job.result.schema.length ? earlierFields(job.result.schema, view.rows) : []);
  const shape = useMemo(
    () => shapeOf(job.result, sample, instants, JSON.parse(earlier) as SchemaField[]),
    [job.result, sample, instants, earlier],
  );
  const [sort, setSort] = useUrlState("sort", initialSort(shape));
  const labels = useLabels(view.rows, shape);
  const rows = useMemo(() => sortRows(view.rows, sort), [view.rows, sort]);
  const [chosen] = useUrlState("keys", "");
  const [picked, setPicked] = useUrlState("row", "");
  const page = usePageFindings({
    paused: view.paused,
    pending: view.pending,
    chosen: parseKeys(chosen),
    keys: labels,
    conflated: view.conflated,
  });
  const closedUntil = view.closedUntilUs === null ? null : view.closedUntilUs / 1e6;
  const chart = shape.charted && (
    <Panel title={<ChartTitle shape={shape} rows={rows.length} />}>
      <ResultChart shape={shape} rows={rows} of={view} closedUntil={closedUntil} />
    </Panel>
  );
  return (
    <>
      <StatusBar
        view={view}
        job={job}
        onPause={(next) => {
          setPaused(next ? "1" : null);
        }}
      />
      {view.error && (
        <p role="alert">
          <Badge tone="bad" plain>
            Live results unavailable
          </Badge>{" "}
          {view.error}
        </p>
      )}
      {rows.length === 0 ? (
        <NoRows job={job} view={view} page={page} />
      ) : (
        <>
          <HiddenRows page={page} paused={view.paused} />
          {shape.charted && <Toolbar shape={shape} labels={labels} />}
          <div className={shape.charted ? classes[shape.windowed ? "wide" : "halves"] : undefined}>
            {shape.windowed && chart}
            <Panel flush>
              <ResultTable
                rows={rows}
                shape={shape}
                sort={sort}
                onSort={setSort}
                of={view}
                picked={picked}
                onPick={setPicked}
              />
            </Panel>
            {!shape.windowed && chart}
          </div>
          {picked && (
            <RowInputsPanel
              key={picked}
              jobId={job.id}
              names={job.result.identity}
              row={picked}
              onClose={() => {
                setPicked(null);
              }}
            />
          )}
        </>
      )}
    </>
  );
});
