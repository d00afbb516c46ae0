/** What the REST interface carries. Names follow the OpenAPI document; instants are ISO texts in UTC. */

export type Role = "viewer" | "editor" | "owner";
export interface Workspace { slug: string; name: string; role: Role }
export interface User { id: number | string; username: string; display_name: string }
export interface Session { user: User; workspaces: Workspace[] }

export interface Problem {
  code: string;
  path: string[];
  message: string;
  hint: string;
  severity: "error" | "warning";
  span: [number, number] | null;
}

export interface SchemaField { name: string; type: string; nullable: boolean }
export type RunState = "starting" | "running" | "replaying" | "waiting" | "stopping" | "stopped" | "failed";
export type Observed = RunState | "unknown" | "never_started";
export type Mode = "realtime" | "microbatch";
export interface ModeDecision { mode: Mode; reasons: string[] }
export interface Failure { code: string; message: string; raw: string; permanent?: boolean }
export interface LagSummary { messages: number | null; seconds: number | null }
export interface ResultShape { kind: "append" | "upsert"; identity: string[]; schema: SchemaField[]; windowed: boolean }

export interface Job {
  id: string;
  name: string;
  description: string;
  created_at: string;
  version: number;
  desired: "running" | "stopped";
  observed: Observed;
  observed_since: string | null;
  last_heard: string | null;
  failure: Failure | null;
  mode: ModeDecision | null;
  engine: { id: string; kind: string; state: string } | null;
  generation: number | null;
  epoch: number | null;
  lag: LagSummary | null;
  rows_per_second: number | null;
  freshness_ms: number | null;
  result: ResultShape | null;
}

export interface Change { sentence: string; breaks_state: boolean }
export interface Version {
  number: number;
  created_at: string;
  created_by: string | null;
  note: string;
  fingerprint: string;
  document_text: string;
  changes: Change[];
}
export interface Verdict {
  verdict: "same_state" | "new_generation" | "illegal" | "no_change";
  changes: Change[];
  problems: Problem[];
}
export interface Run {
  id: string;
  generation: number;
  epoch: number;
  version: number;
  mode: Mode | null;
  engine: string | null;
  started_at: string | null;
  ended_at: string | null;
  state: Observed;
  why_ended: string | null;
  failure: Failure | null;
}

export interface CheckedNode {
  name: string;
  op: string;
  inputs: string[];
  schema: SchemaField[];
  kind: "append" | "upsert";
  identity: string[];
  lag: string;
}
export interface Checked {
  problems: Problem[];
  nodes: CheckedNode[];
  mode: ModeDecision | null;
  fingerprint: string | null;
  document: Record<string, unknown> | null;
}

export interface PartitionLag {
  partition: number;
  committed: number | null;
  fetched: number | null;
  end: number | null;
  messages: number | null;
  seconds: number | null;
}
export interface SourceLag { partitions: PartitionLag[]; messages: number | null; seconds: number | null }
export interface JobLag { at: string | null; sources: Record<string, SourceLag>; mirror_group: string | null }
export interface HistoryPoint {
  at: string;
  lag_messages: number | null;
  lag_seconds: number | null;
  rows_in_per_second: number | null;
  rows_out_per_second: number | null;
  delay_ms_p50: number | null;
  state_rows: number | null;
  state_bytes: number | null;
  malformed: number | null;
  late: number | null;
}

export type TimeUnit = "s" | "ms" | "us" | "ns";
export interface EventTime {
  kind: "append" | "field";
  field?: string | null;
  unit?: TimeUnit | null;
  format?: string | null;
  zone?: string;
  on_missing?: "malformed" | "append";
}
export interface Contract {
  format: "json";
  fields: SchemaField[];
  event_time: EventTime;
  delay: string;
  max_ahead: string | null;
}
export interface Stream {
  name: string;
  description: string;
  topic: string;
  topic_id: string;
  partitions: number;
  contract: Contract;
  kind: "stream";
  used_by: { job_id: string; job_name: string }[];
  created_at: string;
  records?: number | null;
  rate_per_second?: number | null;
}
export interface NewStream {
  name: string;
  description: string;
  topic: string;
  create: { partitions: number; retention_ms: number } | null;
  contract: Contract;
}
export interface Looked {
  partitions: { partition: number; from: number; to: number; start: number; end: number }[];
  records: number;
  bytes: number;
  elapsed_ms: number;
  stopped_because: "limit" | "end" | "time" | "bytes" | "timeout";
}
export interface StreamRecord {
  partition: number;
  offset: number;
  append_time: string;
  key: string | null;
  key_is_text: boolean;
  value: string | null;
  value_is_text: boolean;
  truncated: boolean;
  size: number;
  headers: [string, string][];
  row: Record<string, unknown> | null;
  event_time: string | null;
  malformed: { reason: string; detail: string } | null;
}
export interface RecordPage { records: StreamRecord[]; looked: Looked; next: string | null }
export interface InferredField extends SchemaField { notes: string[]; examples: unknown[] }
export interface Inference { fields: InferredField[]; event_time: (EventTime & { why: string })[]; looked: Looked }
export interface Topic { name: string; partitions: number; records: number | null; internal: boolean; stream: string | null }

export interface Engine {
  id: string;
  kind: string;
  state: string;
  incarnation: string | null;
  ready: boolean;
  slots: number | null;
  slots_used: number | null;
  memory_bytes: number | null;
  last_heard: string | null;
  host: string | null;
  pid: number | null;
  runs: string[];
}
export interface Broker { reachable: boolean | null; checked_at: string | null; error: string | null }
export interface Cluster extends Broker { id: string; name: string; bootstrap: string; home: boolean }
export interface WorkspaceEvent { at: string; kind: string; text: string; job_id: string | null }
export interface Overview {
  jobs: { running: number; failed: number; waiting: number; stopped: number; total: number };
  attention: { job_id: string; name: string; why: string }[];
  rows_per_second: number | null;
  max_lag_seconds: number | null;
  events: WorkspaceEvent[];
  engines: Engine[];
  broker: Broker;
}

export interface Example { id: string; title: string; summary: string; document_text: string; streams: unknown[] }
export interface MeasureDoc { name: string; signature?: string; doc?: string; example?: string }
export interface Functions { functions: MeasureDoc[]; measures: MeasureDoc[]; operators: unknown[] }
export interface Member { id: number | string; username: string; display_name: string; role: Role }
export interface Token { id: number | string; name: string; prefix: string; created_at: string; last_used_at: string | null; expires_at: string | null; token?: string }
export interface Page<T> { results: T[]; next?: string | null; previous?: string | null }

export type StartFrom = "now" | "earliest" | "time" | "resume";
export interface StartRequest { from: StartFrom; time?: string; version?: number }
