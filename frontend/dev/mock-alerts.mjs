/** Made-up answers about alerts. */

const at = (msAgo) => new Date(Date.now() - msAgo).toISOString();
const MIN = 60_000;
const rowWatch = {
  kind: "rows",
  job: "flights",
  where: "avg_delay > 60 and departures >= 5",
  by: ["origin"],
  recovers_where: "avg_delay < 30",
  quiet: "1h",
};
const metricWatch = (metric, above) => ({
  kind: "metric",
  metric,
  job: null,
  above,
  below: null,
  recovers_at: null,
});
const rule = (id, name, watch, severity, more = {}) => ({
  id,
  name,
  document: { format: 1, watch, hold: "0s", severity, channels: [] },
  condition: watch.where ?? `${watch.metric} above ${watch.above}`,
  enabled: true,
  template: id,
  problem: "",
  firing: 0,
  revision: 1,
  changed_at: at(9e8),
  changed_by: "",
  ...more,
});
const RULES = [
  rule("delays", "Departures are late", rowWatch, "warning", { template: "", firing: 1, changed_by: "demo" }),
  rule("job-failed", "Job failed", metricWatch("job.failed", 0), "critical", { firing: 1 }),
  rule("falling-behind", "Job is falling behind", metricWatch("job.needs_a_look", 0), "warning"),
  rule("source-silent", "Source is silent", metricWatch("source.silent_seconds", 1800), "warning", {
    firing: 1,
  }),
  rule("old", "Orders above the limit", { ...rowWatch, where: "total > 1000" }, "info", {
    template: "",
    problem: "The result has no field 'total'. Fields: origin, departures, avg_delay.",
  }),
  rule("token", "API token is about to expire", metricWatch("member.token_expires_days", 7), "info", {
    enabled: false,
  }),
];
const alert = (id, ruleName, severity, more) => ({
  id,
  title: "Job flights: origin = EWR",
  rule_id: "delays",
  rule: ruleName,
  job_id: "flights",
  job: "flights",
  severity,
  state: "firing",
  condition: "avg_delay > 60 and departures >= 5",
  group: {},
  value: null,
  unit: "",
  row: null,
  since: at(4 * MIN),
  fired_at: at(3 * MIN),
  resolved_at: null,
  resolved_because: "",
  acknowledged_at: null,
  acknowledged_by: "",
  silenced: false,
  ...more,
});
const OPEN = [
  alert("a1", "Job failed", "critical", {
    title: "Job sessions",
    job_id: "sessions",
    job: "sessions",
    condition: "The job should run, and its run has failed.",
    value: 1,
    unit: "yes or no",
  }),
  alert("a2", "Departures are late", "warning", {
    group: { origin: "EWR" },
    row: {
      window_start: at(20 * MIN),
      window_end: at(5 * MIN),
      origin: "EWR",
      departures: 12,
      avg_delay: 73.4,
    },
    since: at(12 * MIN),
    fired_at: at(12 * MIN),
  }),
  alert("a3", "Source is silent", "warning", {
    title: "Source ticks of job stock-statistics (topic stock.ticks)",
    job_id: "stock",
    job: "stock-statistics",
    condition: "Silence of a source above 30 min, is 40 min 12 s",
    group: { job: "stock", source: "ticks", topic: "stock.ticks" },
    value: 2412,
    unit: "s",
    since: at(40 * MIN),
    fired_at: at(40 * MIN),
    acknowledged_at: at(31 * MIN),
    acknowledged_by: "ann",
  }),
  alert("a4", "Kafka cluster is unreachable", "critical", {
    title: "Kafka cluster staging",
    job_id: null,
    job: null,
    condition: "The Kafka cluster did not answer when it was last checked.",
    group: { cluster: "c1" },
    since: at(100 * MIN),
    fired_at: at(99 * MIN),
    silenced: true,
  }),
];
const RESOLVED = [1, 2, 3, 4].map((n) =>
  alert(`r${n}`, n % 2 ? "Departures are late" : "Job is falling behind", "warning", {
    state: "resolved",
    since: at(n * 220 * MIN),
    resolved_at: at(n * 200 * MIN),
    resolved_because: "The condition is over.",
    acknowledged_by: n === 2 ? "ann" : "",
  }),
);
const channel = (id, name, kind, target, least_severity, enabled = true) => ({
  id,
  name,
  kind,
  target,
  least_severity,
  revision: 1,
  enabled,
  created_at: at(9e8),
});
const CHANNELS = [
  channel("c1", "On call", "pagerduty", "integration key …9f2c", "critical"),
  channel("c2", "Team channel", "slack", "https://hooks.slack.com/…", "warning"),
  channel("c3", "Ops mailbox", "email", "ops@example.com", "info", false),
];
const sent = (id, channelName, change, state, more = {}) => ({
  id,
  channel_id: "c1",
  channel: channelName,
  alert_id: "a1",
  alert: "Job sessions",
  change,
  state,
  created_at: at(3 * MIN),
  sent_at: at(3 * MIN),
  due_at: at(-2 * MIN),
  attempts: 1,
  error: "",
  ...more,
});
const NOTIFICATIONS = [
  sent("n1", "On call", "fired", "sent"),
  sent("n2", "Team channel", "fired", "waiting", {
    attempts: 3,
    error: "The receiver answered 503.",
    sent_at: null,
  }),
  sent("n3", "Team channel", "resolved", "failed", { error: "The receiver answered 404.", sent_at: null }),
  sent("n4", "On call", "test", "sent", { alert_id: null, alert: null, created_at: at(900 * MIN) }),
];
const silence = (id, more) => ({
  id,
  rule_id: null,
  rule: null,
  job_id: null,
  job: null,
  alert_id: null,
  alert: null,
  starts_at: at(100 * MIN),
  ends_at: at(-60 * MIN),
  note: "",
  created_by: "demo",
  ...more,
});
const SILENCES = [
  silence("s1", { alert_id: "a4", alert: "Kafka cluster staging" }),
  silence("s2", { starts_at: at(-300 * MIN), ends_at: at(-420 * MIN), note: "Kafka upgrade" }),
];
const budget = (left, fast_burn) => ({
  attained: left === null ? null : 1 - (1 - left) * 0.01,
  left,
  fast_burn,
  slow_burn: fast_burn === null ? null : fast_burn / 2,
  judged_s: 1e6,
  bad_s: 1e3,
});
const objective = (id, job, kind, threshold, left, burn) => ({
  id,
  job_id: job,
  job,
  kind,
  output: "",
  threshold,
  target: 0.99,
  window_days: 28,
  created_at: at(9e8),
  budget: budget(left, burn),
});
const OBJECTIVES = [
  objective("o1", "flights", "freshness", 10, 0.82, 0.4),
  objective("o2", "flights", "completeness", 0.02, 0.14, 7.3),
  objective("o3", "sessions", "availability", null, -0.31, 22.5),
  objective("o4", "words", "availability", null, null, null),
];
const metric = (name, scope, unit, title, help) => ({ name, scope, unit, title, help });
const METRICS = [
  metric("job.lag_seconds", "job", "s", "Lag", "Consumer lag in time, of the slowest partition."),
  metric("job.failed", "job", "yes or no", "Failed", "The job should run, and its run has failed."),
  metric("source.silent_seconds", "source", "s", "Silence of a source", "How long no record was written."),
];
const list = (results) => [200, { results, next: null }];

function check({ document }) {
  const where = document.watch.where ?? "";
  if (where.includes("delays"))
    return {
      problems: [
        {
          code: "FIELD_UNKNOWN",
          path: ["watch", "where"],
          message: "There is no field 'delays'.",
          hint: "Use avg_delay.",
          severity: "error",
          span: null,
        },
      ],
      condition: "",
      preview: null,
    };
  const known = document.watch.kind === "rows";
  return {
    problems: [],
    condition: where || "Lag above 1 min",
    preview: {
      fired: known ? 14 : null,
      groups: 2,
      looked_at: 4210,
      since: at(700 * MIN),
      note: known ? "" : "No history of this metric is kept.",
    },
  };
}

/** What the live channel says. */
export const alertsFrame = () => ({
  op: "alerts",
  changed_us: Date.now() * 1000,
  firing: OPEN.length,
  pending: 0,
  open: OPEN.map(({ id, job_id, severity, fired_at, acknowledged_at, silenced }) => ({
    alert_id: id,
    job_id,
    severity,
    fired_us: Date.parse(fired_at) * 1000,
    acknowledged: acknowledged_at !== null,
    silenced,
  })),
});

function objectiveHistory(id) {
  const found = OBJECTIVES.find((one) => one.id === id);
  if (!found) return [404, { title: "Not found", detail: "Objective not found, or you don't have access." }];
  const part_s = 6048;
  const length = found.budget.left === null ? 0 : 400;
  const history = Array.from({ length }, (_, index) => ({
    at: at((length - index) * part_s * 1000),
    judged_s: part_s,
    good_s: part_s * (index % 61 < 2 ? 0.9 : 0.998),
  }));
  return [200, { ...found, part_s, history }];
}

const LISTS = {
  "alert-rules": RULES,
  "alert-metrics": METRICS,
  notifications: NOTIFICATIONS,
  silences: SILENCES,
  objectives: OBJECTIVES,
};
let seen = at(10 * MIN);

function alerts(method, id, part, query) {
  if (id === "seen") {
    if (method === "PUT") seen = at(0);
    return [200, { seen_at: seen }];
  }
  if (!id) {
    const job = query?.get("job");
    const found = query?.get("state") === "resolved" ? RESOLVED : OPEN;
    return list(job ? found.filter(({ job_id }) => job_id === job) : found);
  }
  const found = [...OPEN, ...RESOLVED].find((one) => one.id === id);
  if (!found) return [404, { title: "Not found", detail: "Alert not found, or you don't have access." }];
  if (part === "acknowledge") Object.assign(found, { acknowledged_at: at(0), acknowledged_by: "demo" });
  return [200, found];
}

/** [status, body] of a request about alerts. */
export function alerting(method, kind, id, part, body, query) {
  if (kind === "alerts") return alerts(method, id, part, query);
  if (method === "DELETE") return [204, null];
  if (id === "check") return [200, check(body)];
  if (kind === "objectives" && id && method === "GET") return objectiveHistory(id);
  if (kind === "alert-channels") {
    if (method === "POST" && !id)
      return [
        201,
        { ...CHANNELS[0], ...body, target: "https://example.com/…", secret: "m0ck-secret-of-a-webhook" },
      ];
    if (part === "test") return [202, NOTIFICATIONS[3]];
    return [200, { results: CHANNELS, email_configured: true }];
  }
  if (method === "GET") return list(LISTS[kind]);
  return [method === "POST" ? 201 : 200, { ...LISTS[kind][0], ...body }];
}
