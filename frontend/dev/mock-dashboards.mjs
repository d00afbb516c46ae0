/** Made-up answers about dashboards. */

import { JOBS, ago } from "./mock-data.mjs";

const base = (id, title, job, position, more) => ({
  id,
  title,
  job,
  output: "live",
  position,
  filters: [],
  ...more,
});
const at = (x, y, w, h) => ({ x, y, w, h });
const series = (kind, y, keys, aggregation, more = {}) => ({
  kind,
  x: "window_start",
  y,
  series: keys,
  aggregation,
  unit: "",
  thresholds: [],
  ...more,
});
const number = (value, aggregation, more = {}) => ({
  kind: "number",
  value,
  x: "window_start",
  aggregation,
  unit: "",
  thresholds: [],
  ...more,
});

const floor = [
  base(
    "p1",
    "Trades in the newest window",
    "stock",
    at(0, 0, 3, 4),
    number("trades", "sum", { unit: "trades" }),
  ),
  base(
    "p2",
    "Lowest ask",
    "stock",
    at(3, 0, 3, 4),
    number("min_ask", "min", {
      unit: "USD",
      thresholds: [
        { value: 90, tone: "good" },
        { value: 103, tone: "warn" },
      ],
    }),
  ),
  base("p3", "Words counted", "words", at(6, 0, 3, 4), number("count", "sum", { x: null })),
  base("p4", "Clicks", "clicks", at(9, 0, 3, 4), number("count", "sum", { x: null })),
  base(
    "p5",
    "Average ask by symbol",
    "stock",
    at(0, 4, 8, 8),
    series("line", ["avg_ask"], ["symbol"], "avg", {
      unit: "USD",
      thresholds: [{ value: 140, tone: "bad" }],
    }),
  ),
  base("p6", "Most frequent words", "words", at(8, 4, 4, 8), {
    kind: "top_list",
    label: ["word"],
    value: "count",
    x: null,
    aggregation: "sum",
    limit: 8,
    unit: "",
    thresholds: [],
  }),
  base("p7", "Trades by symbol", "stock", at(0, 12, 6, 7), series("bar", ["trades"], ["symbol"], "sum")),
  base("p8", "Departures", "flights", at(6, 12, 6, 7), series("area", ["departures"], ["origin"], "sum")),
  base("p9", "Trading phase", "stock", at(0, 19, 7, 7), {
    kind: "state_timeline",
    x: "window_start",
    state: "phase",
    series: ["symbol"],
  }),
  base("p10", "Airports by average delay", "flights", at(7, 19, 5, 7), {
    kind: "map",
    longitude: "lon",
    latitude: "lat",
    label: ["origin"],
    value: "avg_delay",
    unit: "min",
    thresholds: [{ value: 9, tone: "warn" }],
  }),
];

/** 20 panels, all of a job whose rows change ten times a second. */
const busy = Array.from({ length: 20 }, (_, n) => {
  const place = at((n % 5) * 2 + (n % 5 === 4 ? 2 : 0), Math.floor(n / 5) * 6, n % 5 === 4 ? 2 : 2, 6);
  const title = `Panel ${n + 1}`;
  const job = `busy${n % 4}`;
  if (n % 5 === 0) return base(`b${n}`, title, job, place, number("trades", "sum"));
  if (n % 5 === 1)
    return base(`b${n}`, title, job, place, {
      kind: "top_list",
      label: ["symbol"],
      value: "trades",
      x: "window_start",
      aggregation: "sum",
      limit: 8,
      unit: "",
      thresholds: [],
    });
  const kind = ["line", "area", "bar"][n % 3];
  const one = series(kind, [kind === "line" ? "avg_ask" : "trades"], ["symbol"], "sum");
  return base(`b${n}`, title, job, place, one);
}).map((panel, n) => ({ ...panel, position: at((n % 4) * 3, Math.floor(n / 4) * 6, 3, 6) }));

const DASHBOARDS = new Map(
  [
    ["floor", "Trading floor", floor],
    ["busy", "20 busy panels", busy],
    ["empty", "New dashboard", []],
  ].map(([id, name, panels]) => [
    id,
    {
      id,
      name,
      revision: 1,
      created_at: ago(9e8),
      changed_at: ago(9e6),
      changed_by: "demo",
      document: { format: 1, window: "5m", filters: [], panels },
    },
  ]),
);
const LINKS = [
  ["l1", "lobby screen", -6e8, null],
  ["l2", "", -2e8, ago(4e6)],
  ["l3", "board meeting", 5e6, null],
].map(([id, note, ends, revoked_at]) => ({
  id,
  note,
  created_at: ago(7e8),
  created_by: "demo",
  expires_at: ago(ends),
  revoked_at,
  last_used_at: revoked_at ? null : ago(3e5),
  live: revoked_at === null && ends < 0,
}));

const missing = [404, { title: "Not found", detail: "Dashboard not found, or you don't have access." }];
const summary = ({ document, ...rest }) => ({ ...rest, panels: document.panels.length });

function links(method, body) {
  if (method === "DELETE") return [204, null];
  if (method === "GET") return [200, { results: LINKS }];
  const made = { ...LINKS[0], id: "l9", note: body.note, last_used_at: null };
  return [201, { ...made, token: "m0ckT0ken-of-a-link-that-opens-the-trading-floor" }];
}

/** [status, body] of a request below /dashboards. */
export function dashboards(method, id, part, body) {
  if (!id && method === "GET") return [200, { results: [...DASHBOARDS.values()].map(summary) }];
  if (!id) return [201, { ...DASHBOARDS.get("empty"), ...body, panels: 0 }];
  const found = DASHBOARDS.get(id);
  if (!found) return missing;
  if (part === "links") return links(method, body);
  if (method === "DELETE") return [204, null];
  if (method === "PUT") {
    if (body.revision !== found.revision)
      return [
        409,
        {
          title: "Conflict",
          code: "REVISION_OUTDATED",
          detail: "Somebody else changed this dashboard. Reload it, then edit again.",
        },
      ];
    DASHBOARDS.set(id, { ...found, ...body, revision: found.revision + 1, changed_at: ago(0) });
  }
  const stored = DASHBOARDS.get(id);
  return [200, { ...stored, panels: stored.document.panels.length }];
}

/** What panels can show. */
export const liveOutputs = () => [
  200,
  {
    results: JOBS()
      .filter(({ result }) => result)
      .map(({ id, name, result }) => ({ job: id, job_name: name, output: "live", result })),
  },
];

/** [status, body] of a request with a link's token; "ended" is the token of one that ended. */
export function shared(part, body) {
  if (body.token === "ended")
    return [404, { title: "Not found", code: "LINK_ENDED", detail: "This link has expired or was revoked." }];
  if (part === "live-ticket") return [201, { ticket: "share-mock" }];
  const { name, document, revision } = DASHBOARDS.get("floor");
  return [200, { name, document, revision, expires_at: ago(-6e8) }];
}
