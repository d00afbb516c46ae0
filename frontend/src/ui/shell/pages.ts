/**
 * Every page, once: navigation, the tabs of pages, and the search read it here. No React.
 *
 * `pages.test.ts` holds it beside the routes of `app.tsx`; the tabs of a page are the keys of its bodies.
 */

import type { Right } from "../../api/types";
import type { IconName } from "../icons";

export interface PageEntry {
  name: string;
  href: string;
  icon: IconName;
  /** what people look for when they mean it */
  words: string;
  /** without it, the page has nothing to offer */
  right?: Right;
}

/** What the navigation lists, in its order. */
export const MAIN_PAGES: readonly PageEntry[] = [
  { name: "Overview", href: "/", icon: "overview", words: "home attention events throughput" },
  { name: "Jobs", href: "/jobs", icon: "jobs", words: "queries pipelines" },
  { name: "Streams", href: "/streams", icon: "streams", words: "tables contracts" },
  { name: "Map", href: "/map", icon: "map", words: "graph lineage data flow upstream downstream topology" },
  {
    name: "Consumers",
    href: "/consumers",
    icon: "consumers",
    words: "consumer groups lag offsets members rebalance",
  },
  { name: "Dashboards", href: "/dashboards", icon: "dashboards", words: "charts panels boards share kiosk" },
  { name: "Alerts", href: "/alerts", icon: "bell", words: "firing acknowledge notifications incidents" },
  {
    name: "Admin",
    href: "/admin",
    icon: "admin",
    words: "settings members users roles invitations permissions",
  },
];

/** Pages that hang below those. */
export const OTHER_PAGES: readonly PageEntry[] = [
  {
    name: "New job",
    href: "/jobs/new",
    icon: "plus",
    words: "create example form yaml sql composer",
    right: "edit",
  },
  {
    name: "Register a stream",
    href: "/new-stream",
    icon: "plus",
    words: "create stream table contract",
    right: "edit",
  },
  {
    name: "Topics",
    href: "/topics",
    icon: "streams",
    words: "kafka partitions retention compaction offsets",
  },
  { name: "Schemas", href: "/schemas", icon: "streams", words: "registry subjects avro compatibility" },
  {
    name: "New schema",
    href: "/new-schema",
    icon: "plus",
    words: "create register subject avro json",
    right: "edit",
  },
];

export interface TabEntry {
  /** empty: shown without one */
  path: string;
  label: string;
  words: string;
  /** who has it not doesn't see the tab */
  right?: Right;
}

export const JOB_TABS = [
  { path: "", label: "Live", words: "results rows chart" },
  { path: "graph", label: "Graph", words: "drawing steps rates bottleneck" },
  {
    path: "lag",
    label: "Lag",
    words: "consumer group consumer lag offsets watermark partitions latency state",
  },
  { path: "runs", label: "Runs", words: "starts failures crashes history" },
  { path: "logs", label: "Logs", words: "engine messages warnings stack trace" },
  { path: "versions", label: "Versions", words: "restore rollback history compare difference" },
  { path: "tests", label: "Tests", words: "expected rows capture junit" },
  { path: "document", label: "Document", words: "edit yaml sql form drawing" },
  { path: "problems", label: "Problems", words: "malformed records dead letters errors reasons" },
] as const satisfies readonly TabEntry[];

export const STREAM_TABS = [
  { path: "", label: "Records", words: "messages browse tail" },
  { path: "rows", label: "Rows", words: "table latest key" },
  { path: "produce", label: "Produce", words: "send publish write", right: "edit" },
  { path: "contract", label: "Contract", words: "fields schema event time watermark delay" },
  { path: "profile", label: "Profile", words: "statistics distinct nulls lateness" },
  { path: "dead-letters", label: "Dead letters", words: "malformed redrive validation" },
  { path: "used-by", label: "Used by", words: "jobs readers impact" },
] as const satisfies readonly TabEntry[];

export const ALERT_TABS = [
  { path: "", label: "Firing", words: "" },
  { path: "history", label: "History", words: "resolved" },
  { path: "rules", label: "Rules", words: "conditions thresholds" },
  { path: "channels", label: "Channels", words: "slack webhook email notifications delivery" },
  { path: "silences", label: "Silences", words: "mute maintenance" },
  { path: "objectives", label: "Objectives", words: "slo error budget freshness availability" },
] as const satisfies readonly TabEntry[];

export const ADMIN_TABS = [
  { path: "", label: "Members", words: "users roles invitations permissions" },
  { path: "tokens", label: "Your tokens", words: "api keys access" },
  { path: "clusters", label: "Kafka clusters", words: "brokers connections tls sasl bootstrap" },
  { path: "engines", label: "Engines", words: "spark slots memory driver" },
  { path: "openlineage", label: "OpenLineage", words: "lineage data catalog marquez receiver" },
  {
    path: "audit",
    label: "Audit trail",
    words: "log who changed events export",
    right: "read_audit_trail",
  },
] as const satisfies readonly TabEntry[];

/** Only a table has rows. */
export function streamTabsFor(kind: "stream" | "table", rights: readonly Right[]): TabEntry[] {
  return allowed<TabEntry>(STREAM_TABS, rights).filter(({ path }) => kind === "table" || path !== "rows");
}

/** What a page shows under each of its tabs: one that is missing is an error of types. */
export type Bodies<T extends readonly TabEntry[], Body> = Readonly<Record<T[number]["path"], Body>>;

/** The body of a tab as an address names it; undefined where there is no such tab. */
export function bodyOf<Body>(bodies: Readonly<Record<string, Body>>, tab: string): Body | undefined {
  return Object.hasOwn(bodies, tab) ? bodies[tab] : undefined;
}

/** Those that a person with these rights sees. */
export function allowed<T extends PageEntry | TabEntry>(
  entries: readonly T[],
  rights: readonly Right[],
): T[] {
  return entries.filter(({ right }) => right === undefined || rights.includes(right));
}
