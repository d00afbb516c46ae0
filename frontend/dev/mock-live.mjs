/** Made-up frames for each channel. */

import { alertsFrame } from "./mock-alerts.mjs";
import { JOBS, LAG, record } from "./mock-data.mjs";
import { followLogs } from "./mock-logs.mjs";
import { followGroups } from "./mock-groups.mjs";

const SYMBOLS = ["AAPL", "AMZN", "GOOG", "META", "MSFT", "NFLX", "NVDA", "TSLA"];
const PHASES = ["open", "open", "auction", "halted", "open"];
const AIRPORTS = { EWR: [-74.17, 40.69], JFK: [-73.78, 40.64], LGA: [-73.87, 40.78] };
const WORDS = (
  "the of and a to in is you that it he was for on are as with his they at be this have from " +
  "or one had by word but not what all were we when your can said"
).split(" ");
const iso = (s) => new Date(s * 1000).toISOString().replace("Z", "000Z");

function window(start, size, key, value) {
  const k = JSON.stringify([iso(start), iso(start + size), Object.values(key)[0]]);
  return {
    k,
    v: { window_start: iso(start), window_end: iso(start + size), ...key, ...value },
    n: Date.now() * 1000 - 90_000,
  };
}

function stockRow(start, symbol, now) {
  const seen = Math.min(1, (now - start) / 5);
  const base = 100 + SYMBOLS.indexOf(symbol) * 6 + 3 * Math.sin((start + SYMBOLS.indexOf(symbol) * 40) / 30);
  return window(
    start,
    5,
    { symbol },
    {
      trades: Math.round(seen * (12 + 4 * Math.sin(start / 11 + SYMBOLS.indexOf(symbol)))),
      min_ask: Number((base - 0.4).toFixed(2)),
      avg_ask: Number((base + 0.1).toFixed(6)),
      phase: PHASES[Math.floor(start / 37 + SYMBOLS.indexOf(symbol) * 1.7) % PHASES.length],
    },
  );
}

const flightStart = Date.UTC(2013, 0, 3, 5) / 1000;
const flightRow = (n, origin) =>
  window(
    flightStart + n * 600,
    3600,
    { origin },
    {
      departures: Math.round(14 + 9 * Math.sin(n / 20 + origin.length + origin.charCodeAt(0))),
      avg_delay: Number((8 + 6 * Math.cos(n / 16 + origin.charCodeAt(1))).toFixed(4)),
      lon: AIRPORTS[origin][0],
      lat: AIRPORTS[origin][1],
    },
  );

const counts = new Map(WORDS.map((word, n) => [word, Math.round(9000 / (n + 1))]));
const wordRow = (word) => ({
  k: JSON.stringify([word]),
  v: { word, count: counts.get(word) },
  n: Date.now() * 1000,
});

function results(job, say) {
  const now = Math.floor(Date.now() / 1000);
  let rows = [];
  const ticks = job === "stock" || job.startsWith("busy");
  if (ticks)
    for (let start = now - 180; start <= now; start += 1)
      rows.push(...SYMBOLS.map((symbol) => stockRow(start, symbol, now)));
  if (job === "flights")
    for (let n = 0; n < 200; n += 1)
      rows.push(...["EWR", "JFK", "LGA"].map((origin) => flightRow(n, origin)));
  if (job === "words") rows = WORDS.map(wordRow);
  say({ op: "subscribed", channel: `results/${job}`, generation: 3 });
  const status = () =>
    say({
      op: "status",
      closed_until_us: (Date.now() - 4_000) * 1000,
      observed: JOBS().find(({ id }) => id === job)?.observed ?? "running",
      desired: "running",
      last_seen_us: Date.now() * 1000,
      generation: 3,
    });
  status();
  const counted = { total: rows.length, total_exact: true, truncated: false };
  say({ op: "snapshot", generation: 3, rows, cursor: "c", more: false, ...counted });
  let n = 200;
  return setInterval(
    () => {
      const at = Math.floor(Date.now() / 1000);
      if (ticks && Math.random() < 0.05) status();
      let changed = [];
      if (ticks)
        changed = [0, 1, 2, 3, 4].map((back) =>
          stockRow(at - back, SYMBOLS[Math.floor(Math.random() * 8)], Date.now() / 1000),
        );
      if (job === "flights")
        changed = [flightRow((n += 0.25) | 0, "EWR"), flightRow(n | 0, "JFK"), flightRow(n | 0, "LGA")];
      if (job === "words")
        for (let i = 0; i < 4; i += 1) {
          const word = WORDS[Math.floor(Math.random() * Math.random() * WORDS.length)];
          counts.set(word, (counts.get(word) ?? 0) + 1);
          changed.push(wordRow(word));
        }
      if (changed.length)
        say({ op: "delta", rows: changed, cursor: "c", at_us: Date.now() * 1000, conflated: 0 });
    },
    job.startsWith("busy") ? 100 : 120,
  );
}

/** Says frames until the returned function is called. */
export function follow(channel, say, where) {
  const [kind, name] = channel.split("/");
  let timer;
  if (kind === "groups" || kind === "group") timer = followGroups(channel, say);
  else if (kind === "logs") timer = followLogs(name, say);
  else if (kind === "results") timer = results(name, say);
  else if (kind === "runs") {
    const tell = () => {
      for (const job of JOBS())
        if (job.observed === "running")
          say({
            op: "status",
            job_id: job.id,
            desired: job.desired,
            observed: job.observed,
            last_seen_us: Date.now() * 1000 - 400_000,
            failure: null,
            lag: job.lag,
            rows_per_second: job.rows_per_second + Math.random(),
          });
    };
    tell();
    timer = setInterval(tell, 2000);
  } else if (kind === "alerts") {
    say(alertsFrame());
  } else if (kind === "lag") {
    timer = setInterval(
      () =>
        say({
          op: "lag",
          at_us: Date.now() * 1000,
          sources: LAG.sources,
          watermark_us: (Date.now() - 12_000) * 1000,
          rows_per_second: 38,
          state_rows: 64,
          state_bytes: 4_100_000,
          given: { ...LAG.given, ticks: 600 + 20 * Math.random() },
          steps: LAG.steps,
        }),
      1000,
    );
  } else {
    let offset = 480_000;
    say({ op: "subscribed", channel, generation: null });
    timer = setInterval(
      () =>
        say({
          op: "records",
          records: [record(++offset), record(++offset)],
          records_per_second: 38.2,
          skipped: where ? 9 : 0,
          ...(where && { evaluated: 11, matched: 2 }),
        }),
      300,
    );
  }
  return () => clearInterval(timer);
}
