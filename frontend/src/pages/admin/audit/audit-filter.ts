/** The filter of the audit trail, as the page's address holds it. No React. */

import type { AuditFilter } from "../../../api/query-keys";
import type { EventAction, EventKind } from "../../../api/types";

export const ACTIONS: Readonly<Record<EventAction, string>> = {
  created: "Created",
  changed: "Changed",
  deleted: "Deleted",
  started: "Started",
  stopped: "Stopped",
  invited: "Invited",
  joined: "Joined",
  declined: "Declined",
  canceled: "Canceled",
  tested: "Tested",
  produced: "Produced",
  redriven: "Redriven",
  discarded: "Discarded",
  shared: "Shared",
  revoked: "Revoked",
  acknowledged: "Acknowledged",
  failed: "Failed",
};

export const KINDS: Readonly<Record<EventKind, string>> = {
  job: "Job",
  validator: "Validator",
  stream: "Stream",
  topic: "Topic",
  schema: "Schema",
  cluster: "Kafka cluster",
  member: "Member",
  dashboard: "Dashboard",
  consumer_group: "Consumer group",
  lineage: "Lineage",
  engine: "Engine",
  alert: "Alert",
};

/** The choices of a table of names, in its order. */
export function choices(names: Readonly<Record<string, string>>): { value: string; label: string }[] {
  return Object.entries(names).map(([value, label]) => ({ value, label }));
}

/** The names that parts of the filter have in the address of the page. */
export const PARAMETERS = ["person", "action", "type", "object", "from", "to"] as const;
export type Parameter = (typeof PARAMETERS)[number];

function isKey<T extends string>(names: Readonly<Record<T, string>>, value: string | null): value is T {
  return value !== null && Object.hasOwn(names, value);
}

function instantText(value: string | null): string | undefined {
  const at = new Date(value ?? "");
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}

/** What the page's address asks for; what it can't mean is left out. */
export function filterOf(search: URLSearchParams): AuditFilter {
  const [actor, action, kind, object] = ["person", "action", "type", "object"].map((name) =>
    search.get(name),
  );
  const since = instantText(search.get("from"));
  const until = instantText(search.get("to"));
  return {
    ...(actor && { actor }),
    ...(isKey(ACTIONS, action ?? null) && { action: action as EventAction }),
    ...(isKey(KINDS, kind ?? null) && { kind: kind as EventKind }),
    ...(object && { object }),
    ...(since && { since }),
    ...(until && { until }),
  };
}

/** The address with one part of the filter changed; an empty value takes it away. */
export function withPart(search: URLSearchParams, name: Parameter, value: string | null): URLSearchParams {
  const next = new URLSearchParams(search);
  if (value) next.set(name, value);
  else next.delete(name);
  return next;
}

/** The address without any filter. */
export function withoutFilter(search: URLSearchParams): URLSearchParams {
  const next = new URLSearchParams(search);
  for (const name of PARAMETERS) next.delete(name);
  return next;
}
