/** Cleanup policy and retention of a topic, in the units of the form. No React. */

import { duration } from "../../ui/format/durations";
import { UNKNOWN } from "../../ui/format/numbers";
import type { TopicDetail, TopicSettings } from "../../api/types";

export type Cleanup = "delete" | "compact" | "compact,delete";

export const CLEANUPS: readonly { value: Cleanup; label: string }[] = [
  { value: "delete", label: "Delete" },
  { value: "compact", label: "Compact" },
  { value: "compact,delete", label: "Compact and delete" },
];

/** Of a topic that is made or grown here. */
export const MAX_PARTITIONS = 256;

const HOUR = 3_600_000;
/** The form says two decimals, and less than these would be said as 0. */
const LEAST_HOURS = 0.01;

/** Hours for the form; null: unlimited. */
export function hoursOf(retentionMs: number): number | null {
  return retentionMs < 0 ? null : Math.max(LEAST_HOURS, Math.round((retentionMs / HOUR) * 100) / 100);
}

export function msOf(hours: number | null): number {
  return hours === null ? -1 : Math.round(hours * HOUR);
}

/** What is wrong with a retention; empty: nothing. Kafka takes 0 and deletes every record. */
export function retentionProblem(hours: number | null): string {
  if (hours === null || hours >= LEAST_HOURS) return "";
  return `At least ${String(LEAST_HOURS)}. Leave empty for unlimited.`;
}

export function cleanupOf(text: string): Cleanup {
  return CLEANUPS.find(({ value }) => value === text)?.value ?? "delete";
}

/** What the form of a topic's settings holds. */
export interface SettingsDraft {
  partitions: number;
  /** null: unlimited */
  hours: number | null;
  cleanup: Cleanup;
}

/** How a topic is set. What the cluster does not say is shown nowhere. */
export function settingsOf({
  partitions,
  settings,
}: Pick<TopicDetail, "partitions" | "settings">): SettingsDraft {
  return {
    partitions: partitions.length,
    hours: hoursOf(settings.retention_ms ?? -1),
    cleanup: cleanupOf(settings.cleanup ?? ""),
  };
}

/** The settings that a person has changed; null leaves one as others have set it. */
export function changesOf(
  before: SettingsDraft,
  now: SettingsDraft,
): { partitions: number | null; retention_ms: number | null; cleanup: Cleanup | null } {
  return {
    partitions: now.partitions > before.partitions ? now.partitions : null,
    retention_ms: now.hours === before.hours ? null : msOf(now.hours),
    cleanup: now.cleanup === before.cleanup ? null : now.cleanup,
  };
}

/** What records a change of settings deletes, a sentence each; empty: none. */
export function lossesOf(before: SettingsDraft, now: SettingsDraft): string[] {
  const losses: string[] = [];
  if (compacts(now.cleanup) && !compacts(before.cleanup))
    losses.push(
      "Kafka keeps only the newest record of each key, and deletes the earlier ones. " +
        "It rejects new records without a key.",
    );
  const isSooner = now.hours !== null && (before.hours === null || now.hours < before.hours);
  if (expires(now) && (isSooner || !expires(before)))
    losses.push(`Kafka deletes the records that are older than ${duration(msOf(now.hours))}.`);
  return losses;
}

function compacts(cleanup: Cleanup): boolean {
  return cleanup !== "delete";
}

function expires({ cleanup, hours }: SettingsDraft): boolean {
  return cleanup !== "compact" && hours !== null;
}

/** `delete after 7 d`; a cluster may not say. */
export function retentionText({ retention_ms, cleanup }: TopicSettings): string {
  if (cleanup === null || retention_ms === null) return UNKNOWN;
  const old = retention_ms < 0 ? "unlimited retention" : `delete after ${duration(retention_ms)}`;
  const kind = cleanupOf(cleanup);
  if (kind === "compact") return "compact";
  return kind === "delete" ? old : `compact, ${old}`;
}
