/** Made-up answers to the REST paths. */

import { drawing } from "./mock-drawing.mjs";
import { readFileSync } from "node:fs";
import { inputProblems, nodesOf } from "./mock-check.mjs";
import { alerting } from "./mock-alerts.mjs";
import { dashboards, liveOutputs, shared } from "./mock-dashboards.mjs";
import { consumerGroups } from "./mock-groups.mjs";
import { columns, marks } from "./mock-history.mjs";
import { openlineage } from "./mock-openlineage.mjs";
import { previewOf } from "./mock-preview.mjs";
import { logs } from "./mock-logs.mjs";
import { mapOf } from "./mock-map.mjs";
import { fromSql, toSql } from "./mock-sql.mjs";
import { documentTests, tests } from "./mock-tests.mjs";
import { LATENESS, PROFILE } from "./mock-profile.mjs";

const OPERATORS = Object.keys(
  JSON.parse(readFileSync(new URL("../src/composer/operator-parameters.json", import.meta.url), "utf-8"))
    .operators,
);

const RIGHTS = [
  ...["read", "edit", "check", "start_jobs", "stop_jobs", "move_offsets", "browse_topics"],
  ...[
    "manage_clusters",
    "manage_engines",
    "manage_channels",
    "manage_members",
    "read_audit_trail",
    "open_live_socket",
  ],
];

export function ago(ms) {
  return new Date(Date.now() - ms).toISOString();
}
const field = (name, type, nullable = false) => ({ name, type, nullable });
const bounds = [field("window_start", "timestamp"), field("window_end", "timestamp")];

const STOCK = `format: 1
name: stock-statistics
sources:
  ticks: {stream: ticks}
steps:
  stats:
    op: aggregate
    input: ticks
    window: {hopping: {size: 5s, advance: 1s}}
    grace: 2s
    by: [symbol]
    measures:
      trades: count_if(kind = 'trade')
      min_ask: min(ask)
      avg_ask: avg(ask)
outputs:
  live: {input: stats, to: result}
settings: {mode: auto, engine: shared}
`;
const WORDS = `format: 1
name: word-count
sources:
  lines: {stream: lines}
steps:
  words: {op: split, input: lines, field: line, as: word, lower: true}
  counts:
    op: aggregate
    input: words
    by: [word]
    measures: {count: count()}
outputs:
  live: {input: counts, to: result}
`;

function lagHealth(health, more = {}) {
  return {
    health,
    since: health === "fine" ? null : ago(400_000),
    in_rate: 38,
    out_rate: 38,
    catch_up_s: null,
    loss_s: null,
    lost_records: 0,
    ...more,
  };
}

function job(id, name, change) {
  return {
    id,
    name,
    document_text: STOCK,
    edited_in: "text",
    description: "",
    created_at: ago(86_400_000),
    version: 2,
    running_version: 2,
    retry_at: null,
    desired: "running",
    observed: "running",
    observed_since: ago(3_500_000),
    last_seen_at: ago(900),
    failure: null,
    mode: {
      mode: "realtime",
      reasons: [
        "every step can run record by record",
        "38 records/s × 5 windows is under the 1,000 rows/s that one run may write",
      ],
    },
    engine: { id: "shared-1", kind: "shared", state: "ready" },
    generation: 3,
    epoch: 4,
    lag: { records: 12, seconds: 0.1 },
    rate_limit: null,
    lag_health: lagHealth("fine"),
    rows_per_second: 38.2,
    freshness_ms: 140,
    skipping: [],
    catching_up: null,
    overload: null,
    result: { kind: "append", identity: [], identity_kind: "row", windowed: false, schema: [] },
    ...change,
  };
}

export const JOBS = () => [
  job("stock", "stock-statistics", {
    description: "Per symbol, a 5 s window advancing by 1 s",
    result: {
      kind: "upsert",
      identity: ["window_start", "window_end", "symbol"],
      windowed: true,
      schema: [
        ...bounds,
        field("symbol", "string"),
        field("trades", "long"),
        field("min_ask", "double", true),
        field("avg_ask", "double", true),
        field("phase", "string"),
      ],
    },
  }),
  job("flights", "flights", {
    description: "Departures and average delay per origin, one-hour windows every ten minutes",
    mode: { mode: "microbatch", reasons: ["6 windows × 280 records/s exceeds 1,000 rows/s"] },
    lag: { records: 18_402, seconds: 64 },
    rate_limit: null,
    lag_health: lagHealth("catching_up", { catch_up_s: 140, in_rate: 410, out_rate: 540 }),
    draining: true,
    catching_up: {
      since_us: (Date.now() - 9_000) * 1_000,
      records_read: 310_119,
      records_left: 18_402,
      share_read: 0.944,
      records_per_second: 34_457.7,
      done_us: (Date.now() + 600) * 1_000,
    },
    rows_per_second: 1_280,
    freshness_ms: 1_900,
    result: {
      kind: "upsert",
      identity: ["window_start", "window_end", "origin"],
      windowed: true,
      schema: [
        ...bounds,
        field("origin", "string"),
        field("departures", "long"),
        field("avg_delay", "double", true),
        field("lon", "double"),
        field("lat", "double"),
      ],
    },
  }),
  job("words", "word-count", {
    description: "How often each word occurs",
    rows_per_second: 21,
    result: {
      kind: "upsert",
      identity: ["word"],
      windowed: false,
      schema: [field("word", "string"), field("count", "long")],
    },
  }),
  job("clicks", "clicks-per-page", {
    observed: "failed",
    observed_since: ago(400_000),
    last_seen_at: ago(400_000),
    lag: { records: 92_012, seconds: 412 },
    rate_limit: null,
    lag_health: lagHealth("falling_behind", { in_rate: 410, out_rate: 190, loss_s: 9_400 }),
    rows_per_second: 0,
    failure: {
      code: "TOPIC_RECREATED",
      message:
        "Topic clicks was recreated. Start from the earliest record to read the new topic, or from now.",
      raw:
        "org.apache.spark.sql.streaming.StreamingQueryException: topic id q1w2 differs from a9s8\n" +
        "  at weir.Engine.start(Engine.java:120)",
    },
  }),
  job("idle", "orders-by-region", {
    desired: "stopped",
    observed: "never_started",
    observed_since: null,
    last_seen_at: null,
    mode: null,
    engine: null,
    generation: null,
    lag: null,
    rate_limit: null,
    lag_health: null,
    rows_per_second: null,
    freshness_ms: null,
  }),
];

const contract = {
  format: "json",
  delay: "10s",
  max_ahead: "1h",
  event_time: { kind: "field", field: "at", unit: "ms" },
  fields: [
    field("symbol", "string"),
    field("kind", "string"),
    field("ask", "double", true),
    field("bid", "double", true),
    field("at", "long"),
  ],
};
const stream = (name, change) => ({
  name,
  description: "",
  cluster: "home",
  cluster_name: "Home",
  topic: `demo.${name}`,
  topic_id: "x",
  partitions: 2,
  contract,
  kind: "stream",
  used_by: [{ job_id: "stock", job_name: "stock-statistics" }],
  created_at: ago(8e7),
  revision: 1,
  records: 482_112,
  rate_per_second: 38.2,
  ...change,
});
const STREAMS = [
  stream("ticks", { description: "Trades and quotes of eight symbols" }),
  stream("flights", { used_by: [{ job_id: "flights", job_name: "flights" }], rate_per_second: 1280 }),
  stream("lines", { used_by: [{ job_id: "words", job_name: "word-count" }], rate_per_second: 4 }),
  stream("clicks", { used_by: [], rate_per_second: 0, records: 0 }),
  stream("quotes", { kind: "table", contract: { ...contract, kind: "table", key: ["symbol"] } }),
];

export function record(offset) {
  const at = Date.now() - (480_000 - offset) * 26;
  const value = JSON.stringify({
    symbol: ["AAPL", "MSFT", "NVDA"][offset % 3],
    kind: offset % 4 ? "quote" : "trade",
    ask: 101.25 + (offset % 17) / 4,
    bid: 101,
    at,
  });
  const bad = offset % 13 === 0;
  return {
    partition: offset % 2,
    offset,
    timestamp: new Date(at + 20).toISOString(),
    key: "AAPL",
    key_is_text: true,
    value: bad ? '{"symbol": "AAPL", "ask": "n/a"}' : value,
    value_is_text: true,
    truncated: false,
    size: value.length,
    timestamp_type: "create",
    headers: [
      { name: "source", value: "feed-1", value_is_text: true },
      { name: "trace", value: "AP8=", value_is_text: false },
    ],
    row: bad ? null : JSON.parse(value),
    event_time: bad ? null : new Date(at).toISOString(),
    deleted: bad ? null : false,
    malformed: bad ? { reason: "FIELD_TYPE", detail: "ask: a text where a double is declared" } : null,
  };
}
const scan = {
  partitions: [
    {
      partition: 0,
      from: 479_950,
      to: 480_000,
      range_start: 120,
      range_end: 480_000,
      log_start: 120,
      log_end: 480_000,
    },
    {
      partition: 1,
      from: 479_950,
      to: 480_000,
      range_start: 98,
      range_end: 480_000,
      log_start: 98,
      log_end: 480_000,
    },
  ],
  records: 100,
  bytes: 9_800,
  elapsed_ms: 41,
  stop_reason: "limit",
};

export const LAG = {
  at: ago(700),
  mirror_group: "weir.demo.stock-statistics",
  counts: {
    batches: 412,
    rows_in: 167_125,
    rows_out: 8_214,
    late: 3,
    expression_nulls: 0,
    sources: {
      ticks: {
        records: 167_125,
        malformed: 4_968,
        reasons: [
          {
            reason: "FIELD_TYPE",
            records: 4_900,
            example: { reason: "FIELD_TYPE", partition: 1, offset: 240_004 },
          },
          { reason: "TIME_MISSING", records: 68, example: null },
        ],
      },
    },
  },
  watermark_us: Date.now() * 1000 - 4_000_000,
  given: { ticks: 612.4, stats: 38.2, all: 38.2, trades: 612.4 },
  steps: { stats: { state_rows: 90, state_bytes: 120_000 } },
  sources: {
    ticks: {
      records: 12,
      seconds: 0.1,
      watermark_us: Date.now() * 1000 - 4_000_000,
      partitions: [
        { partition: 0, committed: 240_112, fetched: 241_006, end: 241_012, records: 6, seconds: 0.1 },
        { partition: 1, committed: 240_101, fetched: 240_994, end: 241_000, records: 6, seconds: 0.1 },
      ],
    },
  },
};

/** Why a job gives no output: its filter lets nothing through. */
function diagnosis() {
  return {
    at: ago(2_000),
    output: "live",
    outputs: [
      { name: "live", topic: null },
      { name: "alerts", topic: "payment-alerts" },
    ],
    cause: {
      code: "FILTER_PASSES_NONE",
      title: "The filter lets nothing through",
      text: "The condition is true for none of the newest rows.",
      remedy: "Compare the condition with the values it sees.",
      place: { kind: "step", name: "failed" },
      facts: [
        { label: "Condition", kind: "text", value: "status = 'FAILED'" },
        { label: "Rows looked at", kind: "count", value: 500 },
        { label: "Values of status", kind: "text", value: "'OK' (412), 'failed' (61), 'RETRY' (27)" },
        { label: "Newest record", kind: "instant", value: ago(3_000) },
      ],
      basis: "sample",
      waits: false,
    },
    checks: [
      { place: { kind: "run", name: "" }, status: "ok", text: "The run is running." },
      {
        place: { kind: "source", name: "payments" },
        status: "ok",
        text: "500 of the newest 500 records are rows. 0 to read.",
      },
      {
        place: { kind: "step", name: "typed" },
        status: "ok",
        text: "500 rows in, 500 out, in the newest records.",
      },
      {
        place: { kind: "step", name: "failed" },
        status: "cause",
        text: "The filter lets nothing through.",
      },
      { place: { kind: "step", name: "per_minute" }, status: "not_checked", text: "" },
      { place: { kind: "output", name: "" }, status: "not_checked", text: "" },
    ],
  };
}

function history(query) {
  const none = (shares) => shares.map(() => 0);
  return columns(
    query,
    {
      lag_records: (_, wave) => 14 * wave,
      lag_seconds: (share, wave) => (share > 0.6 && share < 0.7 ? 4 : 0.3) * wave,
      rows_in_per_second: (_, wave) => 38 * wave,
      rows_out_per_second: (_, wave) => 180 * wave,
      freshness_seconds: (_, wave) => 1.2 * wave,
      watermark_delay_seconds: (_, wave) => 3.1 * wave,
      latency_ms: (_, wave) => 90 * wave,
      state_rows: () => 60,
      state_bytes: (_, wave) => 4e6 * wave,
    },
    (shares) => ({
      counts: {
        malformed: shares.map((share) => (share > 0.8 ? 3 : 0)),
        late: none(shares),
        expression_nulls: none(shares),
        limit_reached: none(shares),
      },
    }),
  );
}

const engines = [
  {
    id: "shared-1-9f8e7d",
    kind: "shared",
    state: "ready",
    incarnation: "a",
    ready: true,
    successor: null,
    slots: 64,
    slots_used: 12,
    memory_bytes: 812e6,
    cpu_cores: 0.34,
    host_cpu_cores: 0.71,
    host_cores: 2,
    last_seen_at: ago(800),
    retry_at: null,
    overload: null,
    host: "mill",
    pid: 4012,
    runs: ["a", "b", "c"],
  },
];
const broker = { reachable: true, checked_at: ago(2_000), error: "" };
const overview = () => ({
  jobs: { running: 3, failed: 1, waiting: 0, stopped: 1, total: 5 },
  attention: [
    {
      job_id: "clicks",
      name: "clicks-per-page",
      severity: "error",
      reason: "failed 6 min 40 s ago: its topic was deleted and created again",
    },
    { job_id: "flights", name: "flights", severity: "warning", reason: "Lags by 1 min 4 s." },
  ],
  rows_per_second: 1339.4,
  unmeasured_jobs: 0,
  max_lag_seconds: 64,
  engines,
  broker,
  events: [
    ["failed", "clicks-per-page failed", 400_000, "clicks"],
    ["started", "stock-statistics started from now", 3_500_000, "stock"],
    ["version", "demo saved version 2 of stock-statistics", 3_600_000, "stock"],
    ["registered", "demo registered the stream clicks", 9e6, null],
  ].map(([kind, text, ms, id]) => ({ at: ago(ms), kind, text, job_id: id })),
});

function check(text, streams) {
  const nodes = nodesOf(text, Object.values(streams ?? {})[0]?.fields ?? contract.fields);
  const at = /avg\((\w+)\)/.exec(text);
  const problems =
    at && at[1] !== "ask"
      ? [
          {
            code: "FIELD_UNKNOWN",
            path: ["steps", "stats", "measures", "avg_ask"],
            message: `There is no field “${at[1]}” in ticks.`,
            hint: "Did you mean “ask”?",
            severity: "error",
            span: [4, 4 + at[1].length],
          },
        ]
      : [];
  problems.push(...inputProblems(text));
  if (text.includes("window") === false && text.includes("aggregate"))
    problems.push({
      code: "STATE_UNBOUNDED",
      path: ["steps", "counts"],
      message: "Without a window the state of this step is never dropped.",
      hint: "Give it a window if the number of keys grows.",
      severity: "warning",
      span: null,
    });
  return {
    problems,
    nodes,
    queries: [],
    mode: { mode: "realtime", reasons: ["every step can run record by record"] },
    fingerprint: "f",
    document: { name: "stock" },
    outputs: ["stats"],
    source_paths: {},
    lineage: text.includes("ticks")
      ? { live: { symbol: ["ticks.symbol"], trades: [], avg_ask: ["ticks.ask"] } }
      : {},
  };
}

const version = (number, changes, note) => ({
  number,
  created_at: ago(4e6 * (3 - number)),
  created_by: "demo",
  note,
  fingerprint: "f",
  document_text: STOCK,
  changes,
});

const HOME = {
  id: "home",
  name: "Home",
  bootstrap: "127.0.0.1:19092",
  home: true,
  security: "PLAINTEXT",
  mechanism: "",
  username: "",
  password_set_at: null,
  ca: "",
  revision: 1,
  ...broker,
};
const TRADING = {
  ...HOME,
  id: "c1",
  name: "Trading",
  bootstrap: "kafka-1.trading.example:9093,kafka-2.trading.example:9093",
  home: false,
  security: "SASL_SSL",
  mechanism: "SCRAM-SHA-512",
  username: "weir",
  password_set_at: ago(8e7),
  reachable: false,
  error: "kafka-1.trading.example:9093/bootstrap: Connect to ipv4#10.1.2.3:9093 failed: Connection refused",
};
const topic = (name, partitions, records, streams) => ({
  name,
  partitions,
  replicas: 1,
  under_replicated: name === "shop.orders" ? 2 : 0,
  leaderless: 0,
  records,
  streams,
});
const CHECKS = [
  ["resolve", "passed", "kafka-1.trading.example:9093 is 10.1.2.3"],
  ["connect", "passed", "kafka-1.trading.example:9093 takes connections"],
  [
    "tls",
    "failed",
    "Untrusted certificate (self-signed certificate in certificate chain). Paste the CA certificate.",
  ],
  ["authenticate", "skipped", ""],
  ["list", "skipped", ""],
];

/** Clusters and what lies under them. */
function clusters(method, id, part, topicName, deeper, query, body) {
  if (!id)
    return method === "POST" ? [201, { ...TRADING, used_by: [] }] : [200, { results: [HOME, TRADING] }];
  if (id === "test")
    return [
      200,
      {
        ok: body.username === "good",
        checks: CHECKS.map(([check, state, detail]) => ({
          check,
          state: body.username === "good" ? "passed" : state,
          detail,
        })),
        topics: null,
        raw:
          "[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: " +
          "self-signed certificate in certificate chain (_ssl.c:1006)",
        elapsed_ms: 84,
      },
    ];
  if (!part) return [200, { ...TRADING, used_by: [{ stream: "orders", jobs: ["order-totals"] }] }];
  if (id === "c1")
    return [
      503,
      {
        title: "Not available now",
        detail: "The Kafka cluster at kafka-1.trading.example:9093 does not answer.",
        code: "BROKER_UNREACHABLE",
      },
    ];
  if (!topicName)
    return [
      200,
      {
        fetched_at: ago(4_000),
        error: null,
        total: 2,
        results: [topic("demo.ticks", 2, 482_112, ["ticks"]), topic("shop.orders", 6, 12_402, [])],
      },
    ];
  if (deeper === "records")
    return [
      200,
      {
        records: Array.from({ length: 50 }, (_, n) => ({
          ...record(480_000 - n),
          row: null,
          event_time: null,
          deleted: null,
          malformed: null,
        })),
        scan,
        next: "more",
      },
    ];
  return [
    200,
    {
      name: topicName,
      partitions: [0, 1].map((partition) => ({
        partition,
        leader: 1,
        replicas: 1,
        in_sync: 1,
        start: 1_200 * partition,
        end: 241_056 + 1_200 * partition,
      })),
      settings: {
        retention_ms: 604_800_000,
        retention_bytes: -1,
        cleanup: "delete",
        max_message_bytes: 1_048_588,
        min_insync_replicas: 1,
      },
      streams: ["ticks"],
      jobs: ["stock-statistics"],
    },
  ];
}

const told = (name, type, present, kinds, hints, examples) => ({
  ...field(name, type, present < 500),
  path: null,
  present,
  kinds: kinds.map(([kind, count]) => ({ kind, count })),
  hints,
  notes: present < 500 ? [`Missing or null in ${String(500 - present)} of 500 records.`] : [],
  examples,
});

function inference() {
  const fields = [
    told(
      "symbol",
      "string",
      500,
      [["text", 500]],
      [{ kind: "enum", reason: "Only 3 different values in 500 records.", values: ["AAPL", "MSFT", "NVDA"] }],
      ['"AAPL"'],
    ),
    told(
      "order",
      "string",
      500,
      [["text", 500]],
      [{ kind: "id", reason: "All 500 values differ.", values: [] }],
      ['"A-1"', '"A-2"'],
    ),
    told(
      "ask",
      "double",
      488,
      [
        ["number", 470],
        ["text", 18],
      ],
      [],
      ["101.25"],
    ),
    told(
      "at",
      "long",
      500,
      [["whole number", 500]],
      [
        {
          kind: "time",
          reason: "Every value is a time in ms; the first is 2025-11-21T03:20:00.123000Z.",
          values: [],
        },
      ],
      ["1763694000123"],
    ),
  ];
  return {
    fields,
    event_time_candidates: [
      {
        kind: "field",
        field: "at",
        unit: "ms",
        reason: "Rises with the offsets; within 40 ms of the arrival",
      },
    ],
    records: 500,
    malformed: 0,
    notes: [],
    key: {
      encoding: { format: "text" },
      records: 500,
      present: 500,
      reason: "All keys are plain text.",
      members: [],
      examples: ["AAPL"],
    },
    scan: { ...scan, records: 500 },
  };
}

const IMPACTS = [
  { job_id: "stock", job_name: "stock-statistics", stream: "ticks", impact: "unaffected", details: [] },
  {
    job_id: "words",
    job_name: "word-count",
    stream: "orders",
    impact: "new_fields",
    details: ["note", "discount"],
  },
  {
    job_id: "fraud",
    job_name: "card-fraud",
    stream: "orders",
    impact: "resets_state",
    details: ["Stream orders changed how its records are read."],
  },
  {
    job_id: "clicks",
    job_name: "order-totals",
    stream: "orders",
    impact: "breaks",
    details: [
      "name: The writer has no such field, and it has no default.",
      "steps.totals.by.0: There is no field name.",
    ],
  },
];
const ORDER = {
  type: "record",
  name: "Order",
  fields: [
    { name: "id", type: "long" },
    { name: "name", type: "string" },
  ],
};

/** The registry; a schema without `name` breaks a job. */
function schemas(method, subject, part, body) {
  if (!subject)
    return [
      200,
      {
        results: [
          {
            name: "orders-value",
            level: "BACKWARD",
            versions: 2,
            newest: 2,
            changed_at: ago(8e6),
            streams: ["orders"],
          },
          {
            name: "payments-value",
            level: "NONE",
            versions: 1,
            newest: 1,
            changed_at: ago(9e7),
            streams: [],
          },
        ],
      },
    ];
  const one = {
    version: 1,
    id: 7,
    schema_type: "AVRO",
    schema: JSON.stringify(ORDER),
    references: [],
    referenced_by: [],
    created_at: ago(8e6),
    deleted: false,
    fields: [field("id", "long"), field("name", "string")],
    row_fields: [],
  };
  if (part === "check")
    return [
      200,
      {
        level: "BACKWARD",
        conflicts: body.schema.includes("must")
          ? [
              {
                version: 2,
                direction: "backward",
                rule: "NO_DEFAULT",
                path: "must",
                message: "The field is new and has no default.",
                allowed: "Allowed: a default.",
              },
            ]
          : [],
        impacts: body.schema.includes('"name":') ? IMPACTS : IMPACTS.slice(0, 2),
      },
    ];
  if (part === "versions") return [201, { ...one, version: 3 }];
  return [
    200,
    {
      name: subject,
      level: "BACKWARD",
      own_level: "",
      mode: "READWRITE",
      own_mode: "",
      streams: ["orders"],
      versions: [{ ...one, version: 2, id: 9 }, one],
    },
  ];
}

/** A table whose first scan does not reach the end. */
function table(row, query) {
  const entry = (n) => ({
    key: `["S${String(n)}"]`,
    row: { symbol: `S${String(n)}`, ask: 100 + n, at: ago(n * 1000) },
    event_time: ago(n * 1000),
    timestamp: ago(n * 1000),
    partition: n % 2,
    offset: 400_000 + n,
  });
  const page = { malformed: 0, scan, size: null, newest: ago(900) };
  if (row)
    return [
      200,
      query.get("key") === "S1"
        ? { state: "found", entry: entry(1), scan, next: null }
        : { state: "absent", entry: null, scan, next: null },
    ];
  if (!query.get("cursor")) return [200, { ...page, complete: false, rows: [], next: "pass:1" }];
  return [
    200,
    {
      ...page,
      complete: true,
      rows: Array.from({ length: 50 }, (_, n) => entry(n)),
      size: { rows: 18_402, exact: false },
      next: "after:50",
    },
  ];
}

const EVENTS = [
  ["ann", "started", "job", "stock", "stock-statistics resumed", 40_000, "198.51.100.23"],
  ["", "stopped", "job", "clicks", "clicks-per-page stopped", 400_000, null],
  ["demo", "changed", "job", "stock", "stock-statistics updated to version 2", 3_600_000, "192.0.2.17"],
  ["demo", "created", "stream", "clicks", "Stream clicks registered on topic demo.clicks", 9e6, "192.0.2.17"],
  [
    "demo",
    "invited",
    "member",
    "",
    "grace invited as editor",
    9.1e6,
    "2001:db8:4006:812:5c1f:9d2a:77b0:1a2b",
  ],
  [
    "ann",
    "tested",
    "cluster",
    "",
    "Connection to kafka-1.trading.example:9093 tested: failed",
    8.8e7,
    "203.0.113.7",
  ],
  ["ann", "deleted", "schema", "orders-value", "Version 3 of orders-value deleted", 1.7e8, "203.0.113.7"],
  [
    "ann",
    "discarded",
    "stream",
    "clicks",
    "412 dead letters of clicks discarded: sent by a load test",
    1.8e8,
    "203.0.113.7",
  ],
  ["grete-former-member", "", "topic", "demo.ticks", "Topic demo.ticks created on home", 3e9, null],
];

/** Pages of six, so that there is a second one. */
function auditTrail(query) {
  const asked = (name) => query.get(name) ?? "";
  if (asked("actor") === "broken")
    return [
      503,
      { title: "Temporarily unavailable", detail: "The database doesn't answer.", code: "DATABASE" },
    ];
  const found = EVENTS.map(([actor, action, kind, subject, text, ms, address], index) => ({
    id: 100 - index,
    at: ago(ms),
    actor,
    action,
    kind,
    subject,
    text,
    address,
  })).filter(
    (event) =>
      ["actor", "action", "kind"].every((name) => !asked(name) || event[name] === asked(name)) &&
      (event.subject === asked("object") ||
        event.text.toLowerCase().includes(asked("object").toLowerCase())) &&
      (!asked("since") || event.at >= asked("since")) &&
      (!asked("until") || event.at < asked("until")),
  );
  const from = Number(asked("cursor"));
  const next = from + 6 < found.length ? `http://localhost/?cursor=${String(from + 6)}` : null;
  return [200, { next, previous: null, results: found.slice(from, from + 6) }];
}

/** [status, body] of a request. */
export function answer(method, path, query, body) {
  if (path === "/session" && process.env.SIGNED_OUT)
    return method === "GET"
      ? [401, {}]
      : [401, { title: "Not signed in", detail: "This name and password do not go together." }];
  if (path === "/session")
    return [
      200,
      {
        user: { id: 1, username: "demo", display_name: "Demo" },
        workspaces: [
          { slug: "demo", name: "Demo", role: "owner", rights: RIGHTS },
          { slug: "lab", name: "Lab", role: "viewer", rights: ["read"] },
        ],
        invitations: process.env.INVITED
          ? [{ id: 7, workspace_name: "Payments", role: "editor", invited_by: "ann" }]
          : [],
      },
    ];
  if (path === "/tokens")
    return method === "POST"
      ? [
          201,
          {
            id: 2,
            name: body.name,
            prefix: "weir_ab12",
            token: "weir_ab12cd34ef56",
            created_at: ago(0),
            last_used_at: null,
            expires_at: null,
          },
        ]
      : [200, { results: [{ id: 1, name: "laptop", created_at: ago(9e7), expires_at: ago(-9e9) }] }];
  if (path === "/examples")
    return [
      200,
      {
        results: [
          {
            id: "stock",
            title: "Stock statistics",
            summary: "Per symbol, a 5 s window advancing by 1 s: trades, minimum and average ask.",
            document_text: STOCK,
            streams: [],
            feed: "python -m examples.stock.generator --rate 50",
            auto_feed: true,
          },
          {
            id: "words",
            title: "Word count",
            summary: "Lines of text in, words and how often they occur out.",
            document_text: WORDS,
            streams: [],
            feed: "python -m examples.words.generator --rate 10",
            auto_feed: false,
          },
        ],
      },
    ];
  if (path === "/functions")
    return [200, { functions: [], measures: [], operators: OPERATORS.map((name) => ({ name })) }];
  if (path.startsWith("/shared-dashboard")) return shared(path.split("/")[2], body);
  const rest = path.replace(/^\/workspaces\/[^/]+/, "");
  if (path.startsWith("/workspaces/lab") && ["/jobs", "/streams"].includes(rest))
    return [200, { results: [] }];
  const [, kind, id, part] = rest.split("/");
  const groupAnswer = consumerGroups(method, rest.slice(1), query, body);
  if (groupAnswer) return groupAnswer;
  if (/^(alert|notifications|silences|objectives)/.test(kind))
    return alerting(method, kind, id, part, body, query);
  if (kind === "openlineage") return openlineage(method, path.split("/")[2], id, body, query);
  if (kind === "dashboards") return dashboards(method, id, part, body);
  if (kind === "dashboard-outputs") return liveOutputs();
  if (kind === "map") return [200, mapOf(JOBS(), Number(process.env.WEIR_MOCK_MAP ?? 0))];
  if (kind === "overview") return [200, overview()];
  if (kind === "invitations")
    return [
      200,
      { results: [{ id: 5, username: "grace", role: "editor", invited_by: "demo", created_at: ago(9e6) }] },
    ];
  if (kind === "members")
    return [
      200,
      {
        results: [
          { id: 1, user: { id: 1, username: "demo", display_name: "Demo" }, role: "owner" },
          { id: 2, user: { id: 2, username: "ann", display_name: "Ann Example" }, role: "viewer" },
        ],
      },
    ];
  if (kind === "audit-trail") return auditTrail(query);
  if (kind === "engines") return [200, { results: engines }];
  if (kind === "clusters")
    return clusters(method, id, part, rest.split("/")[4], rest.split("/")[5], query, body);
  if (kind === "documents" && id === "script")
    return [200, { script: "from pyspark.sql import SparkSession\n", refusals: [] }];
  if (kind === "documents" && id === "forecast")
    return [200, { steps: [{ step: "stats", bound: "bounded", why: "", rows: 7_000, bytes: 966_000 }] }];
  if (kind === "documents" && id === "measured-load")
    return [200, { rates: { ticks: 38 }, key_counts: { stats: 8 }, sampled: { ticks: 500 } }];
  if (kind === "documents" && id === "to-sql") return [200, toSql(body.document)];
  if (kind === "documents" && id === "sql") return [200, fromSql(body.text, body.name)];
  if (kind === "documents" && id === "preview")
    return part === "cancel" ? [204, null] : [200, previewOf(check(body.document).nodes)];
  if (kind === "documents" && id?.startsWith("test-")) return documentTests(method, id, ago(0));
  if (kind === "documents") return [200, check(body.document, body.streams)];
  if (kind === "samples" && id === "infer") return [200, inference()];
  if (kind === "encodings")
    return [
      200,
      {
        fields: [
          { name: "id", type: "long", nullable: false },
          { name: "customer", type: "struct<name:string,city:string>", nullable: true },
          { name: "amount", type: "decimal(10,2)", nullable: false },
          { name: "placed_at", type: "timestamp", nullable: false },
        ],
      },
    ];
  if (kind === "schema-policy") return [200, { level: "BACKWARD", mode: "READWRITE" }];
  if (kind === "schemas") return schemas(method, id && decodeURIComponent(id), part, body);
  if (kind === "streams" && part === "impact") return [200, { impacts: IMPACTS }];
  if (kind === "streams" && part === "profile") return [200, PROFILE];
  if (kind === "streams" && part === "lateness") return [200, LATENESS];
  if (kind === "streams" && part === "table") return table(rest.split("/")[4], query);
  if (kind === "streams" && !id)
    return method === "POST"
      ? [201, { ...stream(body.name), topic: body.topic }]
      : [200, { results: STREAMS }];
  if (kind === "streams" && part === "records")
    return id === "clicks"
      ? [
          200,
          {
            records: [],
            scan: {
              ...scan,
              partitions: [
                { partition: 0, from: 0, to: 0, range_start: 0, range_end: 0, log_start: 0, log_end: 0 },
              ],
              records: 0,
              bytes: 0,
              stop_reason: "end",
            },
            next: null,
          },
        ]
      : [200, { records: Array.from({ length: 50 }, (_, n) => record(480_000 - n)), scan, next: "more" }];
  if (kind === "streams")
    return STREAMS.some(({ name }) => name === id)
      ? [200, STREAMS.find(({ name }) => name === id)]
      : [404, { title: "Not found", detail: `There is no stream “${id}” in this workspace.` }];
  const one = JOBS().find((candidate) => candidate.id === id);
  if (kind === "jobs" && !id) return method === "POST" ? [201, JOBS()[0]] : [200, { results: JOBS() }];
  if (kind !== "jobs" || !one)
    return [
      404,
      { title: "Not found", detail: "There is nothing here, or it belongs to another workspace." },
    ];
  if (!part) return method === "DELETE" ? [204, null] : [200, one];
  if (part === "drawing") return drawing(method, id, body);
  if (part === "versions") {
    const results = [
      version(
        2,
        [
          { sentence: "stats: window 10 s → 5 s", breaks_state: true },
          { sentence: "stats: new measure avg_ask", breaks_state: true },
        ],
        "finer",
      ),
      version(1, [], ""),
    ];
    const found = results.find(({ number }) => number === Number(rest.split("/")[4]));
    return [200, found ?? { results }];
  }
  if (part === "diff")
    return [
      200,
      {
        outcome: "new_generation",
        note: "",
        changes: [{ sentence: "stats: window 5 s → 10 s", breaks_state: true }],
        problems: [],
      },
    ];
  if (part === "runs")
    return [
      200,
      {
        results: [
          {
            id: "r2",
            generation: 3,
            epoch: 4,
            version: 2,
            mode: "realtime",
            engine: "shared-1",
            started_at: ago(3_500_000),
            ended_at: null,
            state: one.observed,
            end_reason: null,
            failure: one.failure,
            phases_ms: {
              noticed: 40,
              placed: 310,
              engine_ready: 310,
              received: 420,
              planned: 460,
              queries_started: 1_130,
              first_batch: 1_400,
              caught_up: 2_950,
            },
            state_load_ms: 180,
            interrupted_at: ago(3_500_300),
          },
          {
            id: "r1",
            generation: 2,
            epoch: 3,
            version: 1,
            mode: "realtime",
            engine: "shared-1",
            started_at: ago(9e6),
            ended_at: ago(3_600_000),
            state: "stopped",
            end_reason: "Stopped by demo, state kept",
            failure: null,
            phases_ms: {
              noticed: null,
              placed: 120,
              engine_ready: 120,
              received: 190,
              planned: 220,
              queries_started: 800,
              first_batch: null,
              caught_up: null,
            },
            state_load_ms: null,
            interrupted_at: null,
          },
        ],
      },
    ];
  if (part === "start" && method === "GET")
    return [
      200,
      {
        version: one.version,
        resumable: false,
        reason: "This version resets state. Select a start position: now, earliest or a time.",
        note: "",
        resumable_version: 1,
      },
    ];
  if (part.startsWith("test")) return tests(method, part, rest.split("/")[4], one, ago(120_000));
  if (part === "diagnosis") return [200, diagnosis()];
  if (part === "lag") return rest.split("/")[4] === "history" ? [200, history(query)] : [200, LAG];
  if (part === "logs") return [200, logs(one.id, query)];
  if (part === "marks") return [200, marks(query)];
  return [202, one];
}
