import type { Alert } from "../../api/types";

/** The tab of a job's page that shows what an alert is about, by the fields of its group and its unit. */
export function placeOf(
  alert: Pick<Alert, "job_id" | "group" | "row" | "unit">,
): { href: string; label: string } | null {
  if (alert.job_id !== null) {
    const job = `/jobs/${alert.job_id}`;
    if (alert.row) return { href: job, label: "Live results" };
    if ("source" in alert.group || alert.unit === "records")
      return { href: `${job}/lag`, label: "Lag by source" };
    if ("objective" in alert.group) return { href: "/alerts/objectives", label: "Objectives" };
    if (alert.unit === "s") return { href: `${job}/lag`, label: "Lag" };
    return { href: `${job}/problems`, label: "Problems" };
  }
  const { stream, cluster, engine, member } = alert.group as Partial<Record<string, string>>;
  if (stream !== undefined) return { href: `/streams/${stream}/dead-letters`, label: "Dead letters" };
  if (cluster !== undefined) return { href: "/admin/clusters", label: "Kafka clusters" };
  if (engine !== undefined) return { href: "/admin/engines", label: "Engines" };
  return member === undefined ? null : { href: "/admin/tokens", label: "Your tokens" };
}
