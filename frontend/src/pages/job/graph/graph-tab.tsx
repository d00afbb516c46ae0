import { lazy, Suspense, useMemo } from "react";
import { useCheck, useVersions } from "../../../api/documents";
import { useJobHistory } from "../../../api/history";
import { useLag } from "../../../api/jobs";
import { useLiveLag } from "../../../api/live";
import type { CheckedNode, Job } from "../../../api/types";
import { useWorkspace } from "../../../api/workspace-context";
import { bytes, count, rate } from "../../../ui/format/numbers";
import { DescriptionItem, DescriptionList } from "../../../ui/description-list";
import { Loading } from "../../../ui/placeholders";
import { QueryResult } from "../../../ui/query-result";
import { Time } from "../../../ui/time";
import { liveFacts } from "./live-facts";

const Showing = lazy(() => import("../../../composer/drawing/showing"));

const NO_NODES: readonly CheckedNode[] = [];

/** The drawing of the version that runs, with what the job reports of it. */
export function GraphTab({ job }: { job: Job }) {
  const versions = useVersions(job.id);
  return (
    <QueryResult query={versions} what="document">
      {({ results }) => {
        const running =
          results.find(({ number }) => number === (job.running_version ?? job.version)) ?? results[0];
        return <JobGraph job={job} text={running?.document_text ?? ""} />;
      }}
    </QueryResult>
  );
}

function JobGraph({ job, text }: { job: Job; text: string }) {
  const { slug } = useWorkspace();
  const nodes = useCheck(text).data?.nodes ?? NO_NODES;
  const stored = useLag(job.id).data;
  const frame = useLiveLag(job.id);
  const live = useMemo(() => {
    const isSource = ({ op }: CheckedNode) => op === "source";
    const names = (found: readonly CheckedNode[]) => found.map(({ name }) => name);
    const lag = stored ? { ...stored, sources: frame?.sources ?? stored.sources } : null;
    return liveFacts(names(nodes.filter(isSource)), names(nodes.filter((node) => !isSource(node))), lag);
  }, [nodes, stored, frame]);
  return (
    <>
      <Totals job={job} />
      <Suspense fallback={<Loading title="Loading drawing…" />}>
        <Showing text={text} nodes={nodes} job={`${slug}.job.${job.id}`} live={live} />
      </Suspense>
    </>
  );
}

/** What is reported of the whole job: its steps share one number. */
function Totals({ job }: { job: Job }) {
  const counts = useLag(job.id).data?.counts;
  const frame = useLiveLag(job.id);
  const newest = useJobHistory(job.id).data?.measures;
  return (
    <DescriptionList>
      <DescriptionItem label="Rows in" note="All sources">
        {rate(frame?.rows_per_second ?? newest?.rows_in_per_second.avg.at(-1))}
      </DescriptionItem>
      <DescriptionItem label="Rows out" note="All outputs">
        {rate(newest?.rows_out_per_second.avg.at(-1))}
      </DescriptionItem>
      <DescriptionItem label="Late rows" note="All steps, this run">
        {count(counts?.late)}
      </DescriptionItem>
      <DescriptionItem
        label="State"
        term="Step state"
        note={bytes(frame?.state_bytes ?? newest?.state_bytes.avg.at(-1))}
      >
        {count(frame?.state_rows ?? newest?.state_rows.avg.at(-1))} rows
      </DescriptionItem>
      <DescriptionItem label="Watermark" note="Windows ending before it are closed">
        {frame?.watermark_us ? <Time at={new Date(frame.watermark_us / 1000)} long /> : "–"}
      </DescriptionItem>
    </DescriptionList>
  );
}
