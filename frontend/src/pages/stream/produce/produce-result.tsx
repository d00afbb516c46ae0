import type { ReactNode } from "react";
import { ApiError } from "../../../api/client";
import type { Produced } from "../../../api/uploads";
import { count, counted } from "../../../ui/format/numbers";
import { Badge } from "../../../ui/status";

/**
 * What was written, and why the rest was not.
 *
 * @param done null where nothing was sent
 * @param children which the rest is, and what to do about it
 */
export function ProduceResult({
  error,
  done,
  children,
}: {
  error: unknown;
  done: Produced | null;
  children?: ReactNode;
}) {
  const shown = error instanceof ApiError ? error : null;
  return (
    <div role="status">
      {done && (done.written > 0 || !error) && (
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
            {failureOf(done)}
          </Badge>{" "}
          {shown?.message ?? "Something went wrong."}
          {shown && shown.problems.length > 1 && (
            <ul>
              {shown.problems.map((problem) => (
                <li key={problem.path.join()}>{problem.message}</li>
              ))}
            </ul>
          )}
          {children}
        </div>
      ) : null}
    </div>
  );
}

function failureOf(done: Produced | null): string {
  if (!done) return "Couldn't check the file";
  const [missing, unsure] = [done.missing.length, done.unsure.length];
  if (done.of === 1) return missing ? "Couldn't write the record" : "The record may have been written";
  if (!missing) return `${counted(unsure, "record")} may have been written`;
  const unwritten = `${counted(missing, "record")} ${missing === 1 ? "wasn't" : "weren't"} written`;
  return unsure ? `${unwritten}, ${count(unsure)} may have been` : unwritten;
}
