import { Button } from "@mantine/core";
import type { Job, LogPage } from "../../../api/types";
import { Empty, Loading } from "../../../ui/placeholders";

interface EmptyLogProps {
  page: LogPage;
  observed: Job["observed"];
  onClear: () => void;
}

/** Why there is no line. */
export function EmptyLog({ page, observed, onClear }: EmptyLogProps) {
  switch (page.empty) {
    case "never_started":
      return (
        <Empty title="No log yet">
          The job was never started. What its engine logs about a run appears here.
        </Empty>
      );
    case "not_taken_up":
      return observed === "stopped" || observed === "failed" ? (
        <Empty title="No log">The run ended before an engine took it up.</Empty>
      ) : (
        <Loading title="Waiting for the engine">No engine has taken up the run yet.</Loading>
      );
    case "expired":
      return (
        <Empty title="No recent log lines">
          No lines in the last {page.kept_days} days. Older ones were deleted.
        </Empty>
      );
    case "older_engine":
      return (
        <Empty title="No log lines">
          The run&apos;s engine sent none. Engines started by an older version don&apos;t; lines appear after
          the next start.
        </Empty>
      );
    default:
      return (
        <Empty
          title="No matching lines"
          action={
            <Button variant="default" onClick={onClear}>
              Clear filters
            </Button>
          }
        />
      );
  }
}
