import { lazy, Suspense, useMemo } from "react";
import { useCheck, useVersion } from "../../../api/documents";
import { useJobHistory } from "../../../api/history";
import { isFresh, useNewestLag, withFrame } from "../../../api/newest-lag";
import type { CheckedNode, Job, JobLag } from "../../../api/types";
import { useStateForecast } from "../../../composer/drawing/use-state-forecast";
import type { RunNumbers } from "../../../composer/drawing/live-facts";
import { totalRates, type Totals as Rates } from "../../../composer/drawing/live-totals";
import { useJobPositions } from "../../../composer/drawing/use-positions";
import type { LagFrame } from "../../../live/frames";
import { seconds } from "../../../ui/format/durations";
import { bytes, count, counted, rate } from "../../../ui/format/numbers";
import { DescriptionItem, DescriptionList } from "../../../ui/description-list";
import { Loading } from "../../../ui/placeholders";
import { QueryResult } from "../../../ui/query-result";
import { RequestError } from "../../../ui/request-error";
import { Time, useNow } from "../../../ui/time";

const Showing = lazy(() => import("../../../composer/drawing/showing"));

const NO_NODES: readonly CheckedNode[] = [];

/** The drawing of the version that runs, with what the job reports of it. */
export function GraphTab({ job }: { job: Job }) {
  const version = useVersion(job.id, job.running_version ?? job.version);
  return (
    <QueryResult query={version} what="document">
      {({ document_text }) => <JobGraph job={job} text={document_text} />}
    </QueryResult>
  );
}

function JobGraph({ job, text }: { job: Job; text: string }) {
  const positions = useJobPositions(job.id);
  const check = useCheck(text);
  const nodes = check.data?.nodes ?? NO_NODES;
  const { query, frame } = useNewestLag(job.id);
  const stored = query.data;
  const lag = useMemo(() => stored && withFrame(stored, frame), [stored, frame]);
  const fresh = isFresh({ at: lag?.at ?? null }, useNow());
  const forecast = useStateForecast(text, nodes, nodes.length > 0);
  const run = useMemo(() => runNumbers(lag, frame, fresh), [lag, frame, fresh]);
  const written = fresh ? (frame?.rows_out_per_second ?? null) : null;
  const rates = useMemo(() => totalRates(text, run, written), [text, run, written]);
  return (
    <>
      <Totals job={job} rates={rates} lag={lag} frame={frame} />
      {!check.data && (
        <RequestError what="Couldn't load fields of the steps" error={check.error} onRetry={check.refetch} />
      )}
      <Suspense fallback={<Loading title="Loading drawing…" />}>
        <Showing text={text} nodes={nodes} positions={positions} run={run} forecast={forecast} />
      </Suspense>
    </>
  );
}

/** Without rates that nobody renews. */
function runNumbers(lag: JobLag | undefined, frame: LagFrame | null, fresh: boolean): RunNumbers {
  if (!lag) return null;
  return { ...lag, ...(frame && { at_us: frame.at_us }), ...(!fresh && { given: {} }) };
}

interface TotalsProps {
  job: Job;
  rates: Rates;
  lag: JobLag | undefined;
  frame: LagFrame | null;
}

/** What is reported of the whole job: what its steps share. */
function Totals({ job, rates, lag, frame }: TotalsProps) {
  const counts = lag?.counts;
  const watermark = lag?.watermark_us;
  const newest = useJobHistory(job.id).data?.measures;
  return (
    <DescriptionList>
      <DescriptionItem label="Rows in" note="All sources, last minute">
        {rate(rates.rowsIn)}
      </DescriptionItem>
      <DescriptionItem label="Rows out" note="All outputs, last minute">
        {rate(rates.rowsOut)}
      </DescriptionItem>
      <DescriptionItem label="Late rows" note="All steps, this run">
        {count(counts?.late)}
      </DescriptionItem>
      <DescriptionItem
        label="State"
        term="Step state"
        note={bytes(frame?.state_bytes ?? newest?.state_bytes.avg.at(-1))}
      >
        {counted(frame?.state_rows ?? newest?.state_rows.avg.at(-1), "row")}
      </DescriptionItem>
      <DescriptionItem label="Watermark" note={<WatermarkNote us={watermark} atUs={frame?.at_us} />}>
        {watermark ? <Time at={new Date(watermark / 1000)} long /> : "–"}
      </DescriptionItem>
    </DescriptionList>
  );
}

/** How far the watermark is behind the clock, which says something of streams whose events are new. */
function WatermarkNote({ us, atUs }: { us: number | null | undefined; atUs: number | undefined }) {
  if (!us || !atUs) return "Windows ending before it are closed";
  const behind = (atUs - us) / 1e6;
  return behind > 0 ? `${seconds(behind)} behind the clock` : "Ahead of the clock";
}
