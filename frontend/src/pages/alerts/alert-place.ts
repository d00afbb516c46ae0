import type { Alert } from "../../api/types";
import { groupPath } from "../consumers/group-path";

type Told = Pick<Alert, "job_id" | "group" | "row" | "unit" | "since" | "resolved_at">;

/** The page that shows what an alert is about, by the fields of its group and its unit, at that time. */
export function placeOf(alert: Told, now = Date.now()): { href: string; label: string } | null {
  if (alert.job_id !== null) return placeOfJob(alert, `/jobs/${alert.job_id}`, now);
  const { stream, cluster, engine, member, group } = alert.group as Partial<Record<string, string>>;
  if (stream !== undefined) return { href: `/streams/${stream}/dead-letters`, label: "Dead letters" };
  if (cluster !== undefined && group !== undefined)
    return { href: `${groupPath(cluster, group)}/history${rangeAround(alert, now)}`, label: "History" };
  if (cluster !== undefined) return { href: "/admin/clusters", label: "Kafka clusters" };
  if (engine !== undefined) return { href: "/admin/engines", label: "Engines" };
  return member === undefined ? null : { href: "/admin/tokens", label: "Your tokens" };
}

function placeOfJob(alert: Told, job: string, now: number): { href: string; label: string } {
  if (alert.row) return { href: job, label: "Live results" };
  if ("objective" in alert.group) return { href: "/alerts/objectives", label: "Objectives" };
  const charts = `${job}/lag${rangeAround(alert, now)}`;
  if ("source" in alert.group || alert.unit === "records") return { href: charts, label: "Lag by source" };
  if (alert.unit === "yes or no") return { href: `${job}/problems`, label: "Problems" };
  return { href: charts, label: "Charts at that time" };
}

const LEAST_MARGIN_MS = 900_000;

/**
 * The query of a range with the alert in it, and a quarter of its length on both sides. One that began within
 * the last hour and goes on needs none: the page shows it.
 */
export function rangeAround(
  { since, resolved_at }: Pick<Told, "since" | "resolved_at">,
  now: number,
): string {
  const from = Date.parse(since);
  const to = resolved_at === null ? now : Date.parse(resolved_at);
  const margin = Math.max(LEAST_MARGIN_MS, (to - from) / 4);
  const begin = from - margin;
  const end = Math.min(now, to + margin);
  const minutes = Math.min(43_200, Math.max(60, Math.ceil((end - begin) / 60_000)));
  if (end === now) return minutes === 60 ? "" : `?range=${String(minutes)}`;
  return `?${new URLSearchParams({ range: String(minutes), until: new Date(end).toISOString() }).toString()}`;
}
