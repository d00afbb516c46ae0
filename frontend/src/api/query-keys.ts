/**
 * Every query key, with its type. A key starts with what it depends on, so that a prefix invalidates all
 * below it.
 */

import type { HistoryRange } from "../history/range";
import type { EventAction, EventKind, LineageEventState, Stream } from "./types";

/** A key's text, the values of its fields as JSON, or its bytes. */
export type KeyAs = "text" | "fields" | "base64" | "hex";

export interface RecordsQuery {
  from: "newest" | "earliest" | "offset" | "time";
  partition: number | null;
  offset?: number;
  /** where `time` begins; where `newest` ends */
  time?: string;
  until?: string;
  key?: string;
  /** how `key` is written */
  key_as?: KeyAs;
  /** a condition of the job language */
  where?: string;
  /** limits of one scan: records, bytes and seconds */
  max_records?: number;
  max_bytes?: number;
  seconds?: number;
}

/**
 * The assumed load of a forecast: records per second by source, distinct keys by step; unknown values are
 * left out.
 */
export interface Load {
  rates: Record<string, number>;
  key_counts: Record<string, number>;
}

/** A page of a cluster's topics, from 1, of those whose name has a part. */
export interface TopicPage {
  name: string;
  page: number;
}

/** Which events of the audit trail; what is left out excludes none. Instants are ISO texts in UTC. */
export interface AuditFilter {
  actor?: string;
  action?: EventAction;
  kind?: EventKind;
  /** ID or name, or a part of what happened */
  object?: string;
  since?: string;
  until?: string;
}

/** Which lines of a run's log; without a run those of the newest. */
export interface LogFilter {
  run?: string;
  /** this level and above */
  level?: "info" | "warning" | "error";
  /** a part of message, error or logger */
  q?: string;
}

/** Which alerts; of a job by its id. */
export interface AlertFilter {
  state?: "open" | "resolved";
  job?: string;
}

/** A stream by its contract: after another revision or registration, the same records are read otherwise. */
export interface StreamRef {
  stream: string;
  cluster: string;
  topic: string;
  created_at: string;
  revision: number;
}

export function streamRef({ name, cluster, topic, created_at, revision }: Stream): StreamRef {
  return { stream: name, cluster, topic, created_at, revision };
}

/** Where records lie: in a stream, or in a topic that need not be one. */
export type TopicRef = StreamRef | { cluster: string; topic: string };

/** Where a record lies; of a stream the name is enough, but by which contract it is read isn't known then. */
export type RecordRef = TopicRef | { stream: string };

export const keys = {
  session: ["session"] as const,
  tokens: ["tokens"] as const,
  examples: ["examples"] as const,
  functions: ["functions"] as const,
  members: (w: string) => [w, "members"] as const,
  invitations: (w: string) => [w, "invitations"] as const,
  overview: (w: string) => [w, "overview"] as const,
  map: (w: string) => [w, "map"] as const,
  engines: (w: string) => [w, "engines"] as const,
  clusters: (w: string) => [w, "clusters"] as const,
  cluster: (w: string, id: string) => [w, "clusters", id] as const,
  topics: (w: string, cluster: string) => [w, "clusters", cluster, "topics"] as const,
  topicPages: (w: string, cluster: string) => [w, "clusters", cluster, "topics", "page"] as const,
  topicPage: (w: string, cluster: string, page: TopicPage) =>
    [w, "clusters", cluster, "topics", "page", page] as const,
  topic: (w: string, cluster: string, name: string) => [w, "clusters", cluster, "topics", name] as const,
  groups: (w: string) => [w, "consumer-groups"] as const,
  group: (w: string, cluster: string, name: string) => [w, "consumer-groups", cluster, name] as const,
  groupHistory: (w: string, cluster: string, name: string, range: HistoryRange, topic: string) =>
    [w, "consumer-groups", cluster, name, "history", range, topic] as const,
  groupMarks: (w: string, cluster: string, name: string, range: HistoryRange) =>
    [w, "consumer-groups", cluster, name, "marks", range] as const,
  check: (w: string, text: string, streams: unknown) => [w, "check", text, streams] as const,
  documentTestCheck: (w: string, asked: unknown) => [w, "document-test-check", asked] as const,
  documentTestRun: (w: string, run: string) => [w, "document-test-run", run] as const,
  preview: (slug: string, text: string, sources: unknown, page: string, reading: number) =>
    [slug, "preview", text, sources, page, reading] as const,
  forecast: (w: string, text: string, load: Load) => [w, "forecast", text, load] as const,
  measuredLoad: (w: string, text: string) => [w, "measured-load", text] as const,
  script: (w: string, text: string) => [w, "script", text] as const,
  toSql: (w: string, text: string) => [w, "to-sql", text] as const,
  fromSql: (w: string, sql: string, name: string) => [w, "from-sql", sql, name] as const,
  logsOf: (w: string, job: string) => [w, "logs", job] as const,
  logs: (w: string, job: string, filter: LogFilter) => [w, "logs", job, filter] as const,
  auditTrail: (w: string, filter: AuditFilter) => [w, "auditTrail", filter] as const,
  streams: (w: string) => [w, "streams"] as const,
  stream: (w: string, name: string) => [w, "streams", name] as const,
  records: (w: string, ref: TopicRef, filter: RecordsQuery) => [w, "records", ref, filter] as const,
  record: (w: string, ref: RecordRef, partition: number, offset: number) =>
    [w, "record", ref, partition, offset] as const,
  /** Parts of the keys of what was read from a topic, as such and as any stream. */
  readFrom: (w: string, cluster: string, topic: string) =>
    (["records", "table", "record"] as const).map((what) => [w, what, { cluster, topic }] as const),
  profile: (w: string, stream: string) => [w, "streams", stream, "profile"] as const,
  lateness: (w: string, stream: string, records: number) =>
    [w, "streams", stream, "lateness", records] as const,
  validation: (w: string, stream: string) => [w, "streams", stream, "validation"] as const,
  deadLetterGroups: (w: string, stream: string) => [w, "streams", stream, "deadLetters", "groups"] as const,
  deadLetters: (w: string, stream: string, reason: string) =>
    [w, "streams", stream, "deadLetters", "of", reason] as const,
  deadLetter: (w: string, stream: string, id: number) =>
    [w, "streams", stream, "deadLetters", "one", id] as const,
  redrives: (w: string, stream: string) => [w, "streams", stream, "redrives"] as const,
  tableRows: (w: string, ref: StreamRef) => [w, "table", ref] as const,
  tableRow: (w: string, ref: StreamRef, key: string) => [w, "table", ref, key] as const,
  schemas: (w: string) => [w, "schemas"] as const,
  subjects: (w: string, deleted: boolean) => [w, "schemas", "all", deleted] as const,
  policy: (w: string) => [w, "schemas", "policy"] as const,
  subject: (w: string, name: string, deleted: boolean) => [w, "schemas", "one", name, deleted] as const,
  dashboards: (w: string) => [w, "dashboards"] as const,
  dashboard: (w: string, id: string) => [w, "dashboards", id] as const,
  shareLinks: (w: string, id: string) => [w, "dashboards", id, "links"] as const,
  liveOutputs: (w: string) => [w, "live-outputs"] as const,
  shared: (token: string) => ["shared", token] as const,
  alerts: (w: string) => [w, "alerts"] as const,
  alertList: (w: string, filter: AlertFilter) => [w, "alerts", "list", filter] as const,
  alert: (w: string, id: string) => [w, "alerts", "one", id] as const,
  alertsSeen: (w: string) => [w, "alerts-seen"] as const,
  alertRules: (w: string) => [w, "alerts", "rules"] as const,
  alertRuleCheck: (w: string, text: string) => [w, "alert-rule-check", text] as const,
  alertMetrics: (w: string) => [w, "alert-metrics"] as const,
  alertChannels: (w: string) => [w, "alert-channels"] as const,
  notifications: (w: string) => [w, "alerts", "notifications"] as const,
  silences: (w: string) => [w, "alerts", "silences"] as const,
  objectives: (w: string) => [w, "objectives"] as const,
  objective: (w: string, id: string) => [w, "objectives", id] as const,
  lineage: (w: string) => [w, "openlineage"] as const,
  lineageReceiver: (w: string) => [w, "openlineage", "receiver"] as const,
  lineageEvents: (w: string, state: LineageEventState | null) => [w, "openlineage", "events", state] as const,
  jobs: (w: string) => [w, "jobs"] as const,
  job: (w: string, id: string) => [w, "jobs", id] as const,
  drawing: (w: string, id: string) => [w, "jobs", id, "drawing"] as const,
  version: (w: string, id: string, version: number) => [w, "jobs", id, "version", version] as const,
  versions: (w: string, id: string, newest: number) => [w, "jobs", id, "versions", newest] as const,
  diff: (w: string, id: string, text: string, base: number | null) =>
    [w, "jobs", id, "diff", text, base] as const,
  jobTests: (w: string, id: string, version: number) => [w, "jobs", id, "tests", version] as const,
  jobTest: (w: string, id: string, test: string) => [w, "jobs", id, "tests", "one", test] as const,
  testCheck: (w: string, id: string, text: string) => [w, "jobs", id, "test-check", text] as const,
  testRun: (w: string, id: string, run: string) => [w, "jobs", id, "test-run", run] as const,
  startOptions: (w: string, id: string, version: number) => [w, "jobs", id, "start", version] as const,
  runs: (w: string, id: string) => [w, "jobs", id, "runs"] as const,
  lag: (w: string, id: string) => [w, "jobs", id, "lag"] as const,
  history: (w: string, id: string, range: HistoryRange) => [w, "jobs", id, "history", range] as const,
  jobMarks: (w: string, id: string, range: HistoryRange) => [w, "jobs", id, "marks", range] as const,
  diagnosis: (w: string, id: string, key: string, output: string) =>
    [w, "jobs", id, "diagnosis", key, output] as const,
  rowInputs: (w: string, id: string, key: string) => [w, "jobs", id, "row-inputs", key] as const,
};
