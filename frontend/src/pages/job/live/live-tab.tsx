import { useEffect, useMemo } from "react";
import { useResults } from "../../../api/live";
import type { Job } from "../../../api/types";
import { Panel } from "../../../ui/page";
import { useAddress } from "../../../ui/address";
import { Mark } from "../../../ui/status";
import { NoRows } from "./no-rows";
import { ResultChart } from "./result-chart";
import { ResultTable } from "./result-table";
import { shapeOf } from "./shape";
import { Strip } from "./strip";
import { Toolbar } from "./toolbar";
import { useLabels } from "./use-labels";
import { sortRows } from "./sort";
import classes from "./live.module.css";

/** The newest rows by key, beside a chart that fits them. */
export function LiveTab({ job }: { job: Job }) {
  const { store, picture } = useResults(job.id);
  const [pausedText, setPaused] = useAddress("pause", "");
  const wanted = pausedText === "1";
  useEffect(() => {
    store.setPaused(wanted);
  }, [store, wanted]);
  const sample = job.result.schema.length ? undefined : picture.rows[0]?.value;
  const shape = useMemo(() => shapeOf(job.result, sample), [job.result, sample]);
  const [sort, setSort] = useAddress("sort", shape.windowed ? "-window_start" : `-${shape.measures[0]?.name ?? ""}`);
  const [measure] = useAddress("measure", shape.measures[0]?.name ?? "rows");
  const labels = useLabels(picture.rows, shape);
  const rows = useMemo(() => sortRows(picture.rows, sort), [picture.rows, sort]);
  const closedUs = picture.status?.closed_until_us ?? null;
  const closedUntil = closedUs === null ? null : closedUs / 1e6;
  return (
    <>
      <Strip picture={picture} job={job} onPause={(paused) => { setPaused(paused ? "1" : null); }} />
      {picture.error && <p role="alert"><Mark tone="bad" plain>The results cannot be followed</Mark> {picture.error}</p>}
      {rows.length === 0 ? (
        <Panel><NoRows job={job} picture={picture} /></Panel>
      ) : (
        <>
          <Toolbar shape={shape} labels={labels} />
          <div className={shape.windowed ? classes["wide"] : classes["halves"]}>
            <Panel title={<ChartTitle windowed={shape.windowed} rows={rows.length} measure={measure} />}>
              <ResultChart shape={shape} rows={rows} closedUntil={closedUntil} />
            </Panel>
            <Panel flush>
              <ResultTable rows={rows} shape={shape} sort={sort} onSort={setSort} total={picture.total} />
            </Panel>
          </div>
        </>
      )}
    </>
  );
}

function ChartTitle({ windowed, rows, measure }: { windowed: boolean; rows: number; measure: string }) {
  if (windowed) return <>{measure} <span className="soft">by window start, event time</span></>;
  return rows === 1 ? <>Now</> : <>{measure} <span className="soft">largest by key</span></>;
}
