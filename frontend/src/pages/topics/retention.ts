/** How long a topic keeps records, in the words and units of its form. No React. */

import { duration } from "../../ui/format/durations";
import type { TopicSettings } from "../../api/types";

export type Cleanup = "delete" | "compact" | "compact,delete";

export const CLEANUPS: readonly { value: Cleanup; label: string }[] = [
  { value: "delete", label: "Old records go" },
  { value: "compact", label: "The newest record of each key stays" },
  { value: "compact,delete", label: "Newest of each key, until it is old" },
];

const HOUR = 3_600_000;

/** Hours for the form; null: for ever. */
export function hoursOf(retentionMs: number): number | null {
  return retentionMs < 0 ? null : Math.round((retentionMs / HOUR) * 100) / 100;
}

export function msOf(hours: number | null): number {
  return hours === null ? -1 : Math.max(1, Math.round(hours * HOUR));
}

export function cleanupOf(text: string): Cleanup {
  return CLEANUPS.find(({ value }) => value === text)?.value ?? "delete";
}

/** `records older than 7 d go`. */
export function retentionText({ retention_ms, cleanup }: TopicSettings): string {
  const old = retention_ms < 0 ? "nothing goes by age" : `records older than ${duration(retention_ms)} go`;
  const kind = cleanupOf(cleanup);
  if (kind === "compact") return "of each key the newest record stays";
  return kind === "delete" ? old : `of each key the newest record stays, and ${old}`;
}
