/** The frames of `/ws/live` (docs/protocol.md), as types. */

import { quoteBigIntegers } from "../api/big-integers";
import type {
  AlertSeverity,
  ConsumerGroup,
  Failure,
  GroupDetail,
  GroupWatch,
  JobSummary,
  LagSummary,
  LogLine,
  Observed,
  SourceLag,
  StreamRecord,
} from "../api/types";

export interface ResultRow {
  /** identity text */
  k: string;
  /** null: the row is gone */
  v: Record<string, unknown> | null;
  /** Kafka timestamp of the newest input inside it, in µs */
  n: number;
  o?: number;
  p?: number;
  /** true: the window began before the job's start position, or was open when a measure was added */
  partial?: boolean;
}

export interface SnapshotFrame {
  op: "snapshot";
  id: number;
  generation: number;
  rows: ResultRow[];
  cursor: string | null;
  more: boolean;
  total: number | null;
  /** false where there are more rows than `total` */
  total_exact: boolean;
  /** whether there are more rows than these */
  truncated: boolean;
}
export interface DeltaFrame {
  op: "delta";
  id: number;
  rows: ResultRow[];
  cursor: string | null;
  at_us: number;
  conflated: number;
}
export interface GapFrame {
  op: "gap";
  id: number;
  reason: string;
}
export interface StatusFrame {
  op: "status";
  id: number;
  job_id?: string;
  /** the job was deleted; nothing else is said of it then */
  deleted?: boolean;
  observed?: Observed;
  desired?: "running" | "stopped";
  observed_since_us?: number | null;
  last_seen_us?: number | null;
  generation?: number | null;
  failure?: Failure | null;
  lag?: LagSummary | null;
  lag_health?: JobSummary["lag_health"];
  rows_per_second?: number | null;
  /** sources of which too many records are malformed */
  skipping?: JobSummary["skipping"];
  /** in real-time mode, but reading a backlog in micro-batches */
  draining?: boolean;
  /** how far it is with that */
  catching_up?: JobSummary["catching_up"];
  overload?: JobSummary["overload"];
  /** event time in µs: windows that ended by then do not change any more; null: none is known to be closed */
  closed_until_us?: number | null;
}
export interface LagFrame {
  op: "lag";
  id: number;
  at_us: number;
  sources: Record<string, SourceLag>;
  watermark_us: number | null;
  rows_per_second: number | null;
  /** over the same time as `given`; missing in frames of an older server */
  rows_out_per_second?: number | null;
  state_rows: number | null;
  state_bytes: number | null;
  /** rows per second that each node or node.port gave; missing in frames of an older server */
  given?: Record<string, number | null>;
  /** what each step with state keeps */
  steps?: Record<string, { state_rows: number; state_bytes: number }>;
}
/** A consumer group: a row of the list, or on its own channel the whole group; or that it is gone. */
export type GroupFrame = { op: "group"; id: number; cluster: string; name: string } & (
  | { deleted: true }
  | (ConsumerGroup & { deleted?: never })
  | (GroupDetail & { deleted?: never; passed_us: number | null; error: string })
);
/** How current the groups of a cluster are; or that the cluster is gone. */
export type WatchFrame = { op: "watch"; id: number; cluster: string } & (
  { deleted: true } | (GroupWatch & { deleted?: never })
);
/** What fires in the workspace; `changed_us` moves with every change of an alert. */
export interface AlertsFrame {
  op: "alerts";
  id: number;
  changed_us: number | null;
  firing: number;
  pending: number;
  open: {
    alert_id: string;
    job_id: string | null;
    severity: AlertSeverity;
    fired_us: number | null;
    acknowledged: boolean;
    silenced: boolean;
  }[];
}
export interface RecordsFrame {
  op: "records";
  id: number;
  records: StreamRecord[];
  records_per_second: number | null;
  skipped: number;
  /** with a filter: how many records it was evaluated on, and how many matched */
  evaluated?: number;
  matched?: number;
}
/** Lines about one run, in the order in which its engine wrote them. */
export interface LogFrame {
  op: "log";
  id: number;
  run: string;
  lines: LogLine[];
  /** lines left out because the client read too slowly */
  dropped: number;
}
export interface SubscribedFrame {
  op: "subscribed";
  id: number;
  channel: string;
  generation: number | null;
}
/** The answer to a ping. */
export interface PongFrame {
  op: "pong";
}
export interface ErrorFrame {
  op: "error";
  id: number | null;
  code: string;
  message: string;
}

export type Frame =
  | SubscribedFrame
  | SnapshotFrame
  | DeltaFrame
  | GapFrame
  | StatusFrame
  | LagFrame
  | AlertsFrame
  | RecordsFrame
  | LogFrame
  | GroupFrame
  | WatchFrame
  | PongFrame
  | ErrorFrame;

/** The page read too slowly; also closed so while its rights can't be read, after an error UNAVAILABLE. */
export const CLOSE_OVERLOADED = 1013;
export const CLOSE_PROTOCOL = 4400;
export const CLOSE_SIGNED_OUT = 4401;
export const CLOSE_ROLE_LOST = 4403;
/** More connections of one person, or of one link, than the server takes. */
export const CLOSE_TOO_MANY = 4429;

const OF_RECORDS = '{"op":"records"';
const OF_ROWS = /^\{"op":"(?:snapshot|delta)"/;
/** What no integer that a browser keeps exactly looks like; the instants of all rows are shorter. */
const TOO_LONG = /\d{17}|9\d{15}/;

/** A frame, or null where the text is none. A newer server may say things that this client does not know. */
export function parseFrame(text: string): Frame | null {
  // Of records and rows every digit counts; other frames hold nothing that long, and are many.
  const isExact = text.startsWith(OF_RECORDS) || (OF_ROWS.test(text) && TOO_LONG.test(text));
  const value: unknown = JSON.parse(isExact ? quoteBigIntegers(text) : text);
  return typeof value === "object" && value !== null && "op" in value ? (value as Frame) : null;
}
