import { Button } from "@mantine/core";
import { useDiagnosis } from "../../../api/jobs";
import { Icon } from "../../../ui/icons";
import { Panel } from "../../../ui/page";
import { QueryResult } from "../../../ui/query-result";
import { DiagnosisView } from "./diagnosis-view";

/** Why there is no output: from source to output, up to the first cause. */
export function DiagnosisPanel({ jobId }: { jobId: string }) {
  const query = useDiagnosis(jobId);
  return (
    <Panel
      title="Why is there no output?"
      flush
      aside={
        <Button
          variant="default"
          size="compact-sm"
          loading={query.isFetching}
          leftSection={<Icon name="refresh" size={14} />}
          onClick={() => void query.refetch()}
        >
          Check again
        </Button>
      }
    >
      <QueryResult query={query} what="diagnosis">
        {(diagnosis) => <DiagnosisView diagnosis={diagnosis} />}
      </QueryResult>
    </Panel>
  );
}
