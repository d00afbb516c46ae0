import { lazy, Suspense, useMemo } from "react";
import { useCheck, useVersion } from "../../../api/documents";
import { useJobHistory } from "../../../api/history";
import { useLag } from "../../../api/jobs";
import { useLiveLag } from "../../../api/live";
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
import { Time } from "../../../ui/time";

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
  const stored = useLag(job.id).data;
  const frame = useLiveLag(job.id);
  const forecast = useStateForecast(text, nodes, nodes.length > 0);
  const run = useMemo(() => runNumbers(stored, frame), [stored, frame]);
  const written = frame?.rows_out_per_second ?? null;
  const rates = useMemo(() => totalRates(text, run, written), [text, run, written]);
  return (
    <>
      <Totals job={job} rates={rates} />
      {!check.data && (
        <RequestError what="Couldn't load fields of the steps" error={check.error} onRetry={check.refetch} />
      )}
      <Suspense fallback={<Loading title="Loading drawing…" />}>
        <Showing text={text} nodes={nodes} positions={positions} run={run} forecast={forecast} />
      </Suspense>
    </>
  );
}

/** What is stored, with what was pushed since; without rates that nobody renews, as of a stopped job. */
function runNumbers(stored: JobLag | undefined, frame: LagFrame | null): RunNumbers {
  if (!stored) return null;
  if (frame) {
    const { sources, given = {}, steps = {}, watermark_us, at_us } = frame;
    return { ...stored, sources, given, steps, watermark_us, at_us };
  }
  const isFresh = stored.at !== null && Date.now() - Date.parse(stored.at) < FRESH_MS;
  return isFresh ? stored : { ...stored, given: {} };
}

const FRESH_MS = 30_000;

/** What is reported of the whole job: what its steps share. */
function Totals({ job, rates }: { job: Job; rates: Rates }) {
  const stored = useLag(job.id).data;
  const counts = stored?.counts;
  const frame = useLiveLag(job.id);
  const watermark = frame?.watermark_us ?? stored?.watermark_us;
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
