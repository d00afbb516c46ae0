/** Made-up answers about the OpenLineage receiver: demo has one that doesn't answer, other workspaces none. */

const MIN = 60_000;
const at = (msAgo) => new Date(Date.now() - msAgo).toISOString();
const JOBS = { stock: "stock-statistics", words: "word-count", flights: "flights" };

let number = 0;
const event = (type, job, msAgo, state, more = {}) => ({
  id: ++number,
  type,
  job_id: job,
  job_name: JOBS[job] ?? "weir-connection-test",
  at: at(msAgo),
  created_at: at(msAgo),
  state,
  sent_at: state === "sent" ? at(msAgo - 2_000) : null,
  error: "",
  ...more,
});
const REFUSED = "The receiver answered 413.";
const AWAY = "marquez.example.com did not answer: TimeoutError.";
const some = Array.from({ length: 60 }, (_, i) =>
  event(
    ["START", "RUNNING", "COMPLETE"][i % 3],
    ["stock", "words"][((i / 3) % 2) | 0],
    (400 - i) * MIN,
    "sent",
  ),
);

const RECEIVERS = {
  demo: {
    receiver: {
      url: "https://marquez.example.com/api/v1/lineage",
      namespace: "weir.demo",
      enabled: true,
      has_key: true,
      sent_at: at(62 * MIN),
      failed_at: at(4 * MIN),
      error: AWAY,
      attempts: 7,
      next_try_at: at(-26 * MIN),
    },
    events: [
      ...some,
      event("START", "flights", 90 * MIN, "sent", { at: at(5_000 * MIN) }),
      event("FAIL", "flights", 70 * MIN, "failed", { error: REFUSED }),
      event("START", "flights", 69 * MIN, "failed", {
        job_id: null,
        error: "Weir couldn't build this event (KeyError). The cause is in the worker's log.",
      }),
      event("START", "stock", 55 * MIN, "waiting", { error: AWAY }),
      event("RUNNING", "stock", 54 * MIN, "waiting"),
    ],
  },
};

function shown(slug) {
  const held = RECEIVERS[slug];
  if (!held) return null;
  const of = (state) => held.events.filter((one) => one.state === state);
  const waiting = of("waiting");
  return {
    ...held.receiver,
    waiting: waiting.length,
    waiting_since: waiting[0]?.created_at ?? null,
    next_try_at: waiting.length && held.receiver.enabled ? held.receiver.next_try_at : null,
    sent: of("sent").length,
    failed: of("failed").length,
  };
}

function set(slug, { url, namespace, key, enabled }) {
  if (/\/\/(127|10|192\.168|localhost)/.test(url))
    return [
      422,
      { code: "ADDRESS_FORBIDDEN", title: "Invalid request", detail: "It isn't allowed: private." },
    ];
  const held = RECEIVERS[slug] ?? { events: [], receiver: { has_key: false, sent_at: null } };
  RECEIVERS[slug] = {
    ...held,
    receiver: {
      ...held.receiver,
      ...{ url, enabled, namespace: namespace || `weir.${slug}`, failed_at: null, error: "", attempts: 0 },
      has_key: key === null ? held.receiver.has_key : key !== "",
      next_try_at: at(0),
    },
  };
  return [200, shown(slug)];
}

/** A test event arrives at once. */
function test(slug) {
  const held = RECEIVERS[slug];
  held.events.push(event("OTHER", null, 0, held.receiver.attempts ? "waiting" : "sent"));
  if (!held.receiver.attempts) held.receiver.sent_at = at(0);
  return [202, shown(slug)];
}

export function openlineage(method, slug, part, body, query) {
  if (part === "events") {
    const state = query.get("state");
    const before = Number(query.get("before") ?? Infinity);
    const all = (RECEIVERS[slug]?.events ?? []).filter(
      (one) => one.id < before && (!state || one.state === state),
    );
    const page = all.reverse().slice(0, 50);
    return [200, { results: page, next: all.length > 50 ? page[49].id : null }];
  }
  if (part === "test") return test(slug);
  if (method === "PUT") return set(slug, body);
  if (method === "DELETE") {
    delete RECEIVERS[slug];
    return [204, null];
  }
  return [200, { receiver: shown(slug) }];
}
