import { useCheck, useVersions } from "../../api/documents";
import type { Job } from "../../api/types";
import { QueryResult } from "../../ui/query-result";
import { Panel } from "../../ui/page";
import { ProblemList } from "../../composer/problem-list";
import { Empty } from "../../ui/placeholders";

/** What a check of the newest version finds today: streams may have changed since it was made. */
export function ProblemsTab({ job }: { job: Job }) {
  const versions = useVersions(job.id);
  const newest =
    versions.data?.results.find(({ number }) => number === job.version) ?? versions.data?.results[0];
  const check = useCheck(newest?.document_text ?? "");
  return (
    <Panel>
      <QueryResult query={check} what="problems">
        {({ problems }) =>
          problems.length ? (
            <ProblemList problems={problems} />
          ) : (
            <Empty title="No problems">Version {job.version} is valid against the current streams.</Empty>
          )
        }
      </QueryResult>
    </Panel>
  );
}
