import { ApiError } from "../../../api/client";
import type { Produced } from "../../../api/records";
import { count, counted } from "../../../ui/format/numbers";
import { Badge } from "../../../ui/status";

/** What was written, and why the rest was not. */
export function ProduceResult({ error, done }: { error: unknown; done: Produced | null }) {
  const shown = error instanceof ApiError ? error : null;
  return (
    <div role="status">
      {done && (
        <p>
          <Badge tone={error ? "warn" : "good"} plain>
            {counted(done.written, "record")} written
          </Badge>
          {done.last &&
            ` up to offset ${count(done.last.offset)} of partition ${String(done.last.partition)}`}
        </p>
      )}
      {error ? (
        <div role="alert">
          <Badge tone="bad" plain>
            {done?.written ? "The remaining records weren't written" : "Couldn't write the record"}
          </Badge>{" "}
          {shown?.message ?? "Something went wrong. Try again."}
          {shown && shown.problems.length > 1 && (
            <ul>
              {shown.problems.map((problem) => (
                <li key={problem.path.join()}>{problem.message}</li>
              ))}
            </ul>
          )}
        </div>
      ) : null}
    </div>
  );
}
