import { useCheck, useVersion } from "../../api/documents";
import type { CheckResult, Job } from "../../api/types";
import { QueryResult } from "../../ui/query-result";
import { Panel } from "../../ui/page";
import { ProblemList } from "../../composer/problem-list";
import { Empty } from "../../ui/placeholders";
import { DiagnosisPanel } from "./diagnosis/diagnosis-panel";
import { NOTHING_HIDDEN } from "./diagnosis/page-findings";
import { usePageFindings } from "./diagnosis/use-page-findings";
import { MalformedReasons } from "./malformed-reasons";

/**
 * Why there is no output, what records lack, and what a check of the newest version finds: streams may have
 * changed since.
 */
export function ProblemsTab({ job }: { job: Job }) {
  const newest = useVersion(job.id, job.version);
  const check = useCheck(newest.data?.document_text ?? "");
  return (
    <>
      <DiagnosisPanel jobId={job.id} page={usePageFindings(NOTHING_HIDDEN)} />
      <MalformedReasons job={job} streams={streamsOf(check.data)} />
      <Panel title="Document">
        <QueryResult query={newest} what="document">
          {({ number }) => (
            <QueryResult query={check} what="problems">
              {({ problems }) =>
                problems.length ? (
                  <ProblemList problems={problems} />
                ) : (
                  <Empty title="No problems in the document">
                    Version {number} is valid against the current streams.
                  </Empty>
                )
              }
            </QueryResult>
          )}
        </QueryResult>
      </Panel>
    </>
  );
}

/** The registered stream of each source of a checked document. */
function streamsOf(checked: CheckResult | undefined): ReadonlyMap<string, string> {
  const sources = checked?.document?.["sources"];
  if (typeof sources !== "object" || sources === null) return new Map();
  return new Map(
    Object.entries(sources as Record<string, { stream?: string; table?: string }>).map(
      ([name, { stream, table }]) => [name, stream ?? table ?? name],
    ),
  );
}
