import { useJobTests } from "../../../api/job-tests";
import type { Job } from "../../../api/types";
import { counted } from "../../../ui/format/numbers";
import { Badge } from "../../../ui/status";

/** In the menu of a start: how the tests of the version stand; nothing where it has none, or all pass. */
export function TestsNote({ job, version }: { job: Job; version: number }) {
  const tests = useJobTests(job.id, version).data?.results ?? [];
  const red = tests.filter(({ state }) => state === "failed" || state === "error");
  const pending = tests.filter(({ must_run }) => must_run);
  if (!red.length && !pending.length) return null;
  return (
    <div style={{ padding: "4px 12px" }}>
      <Badge tone={red.length ? "bad" : "warn"} plain>
        {red.length
          ? `${counted(red.length, "test")} failed: ${red.map(({ name }) => name).join(", ")}`
          : `${counted(pending.length, "test")} must run first`}
      </Badge>
    </div>
  );
}
