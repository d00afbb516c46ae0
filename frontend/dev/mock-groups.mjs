/** Made-up consumer groups: one of each health. */

import { columns, marks } from "./mock-history.mjs";

const ago = (ms) => new Date(Date.now() - ms).toISOString();

function group(name, topics, change = {}) {
  return {
    cluster: "home",
    cluster_name: "Home",
    name,
    state: "Stable",
    protocol: "classic",
    denied: false,
    members: 2,
    mirrored_job: "",
    job_id: null,
    topics,
    lag_records: 14,
    lag_seconds: 0.4,
    seconds_by: "sampled",
    in_rate: 38,
    out_rate: 38,
    health: "fine",
    cause: "",
    since: null,
    catch_up_s: null,
    loss_s: null,
    lost_records: 0,
    hot: null,
    ...change,
  };
}

const trend = (from, to) =>
  Array.from({ length: 30 }, (_, at) => [
    (30 - at) * 60,
    Math.round(from + ((to - from) * at) / 29 + Math.sin(at) * 0.05 * Math.max(from, to)),
  ]);

export function groups() {
  return [
    {
      ...group("invoice-writer", ["billing.events"], {
        health: "losing",
        state: "Empty",
        members: 0,
        lag_records: 91_204_113,
        lag_seconds: 604_900,
        seconds_by: "record",
        out_rate: 0,
        loss_s: 0,
        lost_records: 48_211,
        since: ago(604_900_000),
      }),
      trend: trend(91_100_000, 91_204_113),
    },
    {
      ...group("fraud-scoring", ["payments.authorized", "payments.refunded"], {
        health: "stopped",
        cause: "no_members",
        state: "Empty",
        members: 0,
        lag_records: 412_880,
        lag_seconds: 1_912,
        out_rate: 0,
        in_rate: 214,
        since: ago(1_912_000),
        loss_s: 84_500,
      }),
      trend: trend(0, 412_880),
    },
    {
      ...group("search-indexer", ["catalog.changes"], {
        health: "stalled",
        cause: "not_committing",
        lag_records: 20_114,
        lag_seconds: 512,
        since: ago(512_000),
        loss_s: 603_000,
        hot: { topic: "catalog.changes", partition: 3, lag_share: 0.98, in_share: 0.16, because: "reading" },
      }),
      trend: trend(0, 20_114),
    },
    {
      ...group("clickstream-to-lake-of-the-analytics-department", ["web.clicks"], {
        health: "falling_behind",
        lag_records: 1_204_000,
        lag_seconds: 731,
        in_rate: 4_100,
        out_rate: 2_450,
        since: ago(740_000),
        loss_s: 7_400,
        members: 6,
        hot: { topic: "web.clicks", partition: 7, lag_share: 0.71, in_share: 0.42, because: "input" },
      }),
      trend: trend(10_000, 1_204_000),
    },
    {
      ...group("replayed-reports", ["orders"], {
        health: "catching_up",
        lag_records: 82_000,
        lag_seconds: 1_400,
        seconds_by: "record",
        out_rate: 900,
        catch_up_s: 95,
        since: ago(300_000),
      }),
      trend: trend(400_000, 82_000),
    },
    {
      ...group("delayed-mirror", ["orders"], { health: "behind", lag_records: 11_400, lag_seconds: 300 }),
      trend: trend(11_400, 11_300),
    },
    {
      ...group("new-service", ["orders"], { health: "unknown", lag_seconds: 12, seconds_by: "at_least" }),
      trend: [],
    },
    {
      ...group("checkout/eu west", ["orders", "carts", "prices", "stock"], { protocol: "consumer" }),
      trend: trend(10, 14),
    },
    {
      ...group("weir.demo.stock-statistics", ["demo.ticks"], {
        state: "Empty",
        members: 0,
        mirrored_job: "stock-statistics",
        job_id: "stock",
      }),
      trend: trend(12, 14),
    },
    {
      ...group("one-off-export", ["orders"], {
        health: "empty",
        state: "Empty",
        members: 0,
        lag_records: 0,
        lag_seconds: 0,
        in_rate: 0,
        out_rate: 0,
      }),
      trend: [],
    },
  ];
}

const WATCHES = () => [
  {
    cluster: "home",
    cluster_name: "Home",
    passed_at: ago(1_400),
    error: "",
    groups: 10,
    left_out: 0,
    interval_ms: 3_000,
  },
  {
    cluster: "c1",
    cluster_name: "Plant 2",
    passed_at: ago(940_000),
    error: "Kafka cluster kafka.plant2.example:9093 is unreachable: timed out.",
    groups: 4,
    left_out: 0,
    interval_ms: 3_000,
  },
];

function detail(one) {
  const judged = { stalled: 1, falling_behind: 3, stopped: 8, losing: 8 };
  const ill = judged[one.health] ?? 0;
  const partitions = one.topics.flatMap((topic) =>
    Array.from({ length: 8 }, (_, partition) => {
      const isHot = one.hot ? partition === one.hot.partition : false;
      const isIll =
        isHot || (!one.hot && partition < ill) || (one.health === "falling_behind" && partition < 2);
      const lag = isHot ? Math.round(one.lag_records * one.hot.lag_share) : Math.round(one.lag_records / 12);
      return {
        topic,
        partition,
        committed: 480_000 + partition * 31,
        start: one.health === "losing" ? 486_000 : 12_000,
        end: 480_000 + partition * 31 + lag,
        lag,
        seconds: isIll ? one.lag_seconds : (one.lag_seconds ?? 0) / 9,
        seconds_by: one.seconds_by,
        in_rate: isHot ? (one.in_rate ?? 0) * (one.hot.in_share ?? 0.1) : (one.in_rate ?? 0) / 8,
        out_rate: isIll && one.health !== "falling_behind" ? 0 : (one.out_rate ?? 0) / 8,
        health: isIll || ill === 0 ? one.health : "fine",
        cause: isIll ? one.cause : "",
        since: isIll ? one.since : null,
        catch_up_s: one.catch_up_s,
        loss_s: isIll ? one.loss_s : null,
        lost_records: one.health === "losing" ? 6_000 : 0,
        owner: one.members ? partition % one.members : null,
      };
    }),
  );
  return {
    ...one,
    has_hidden: one.name === "replayed-reports",
    topic_lags: [],
    member_list: Array.from({ length: one.members ?? 0 }, (_, number) => ({
      client_id: `consumer-${one.name.slice(0, 12)}-${String(number + 1)}`,
      host: `10.2.0.${String(11 + number)}`,
      instance_id: number === 0 ? "pod-0" : null,
      partitions: partitions
        .filter((part) => part.owner === number)
        .map(({ topic, partition }) => ({ topic, partition })),
    })),
    partitions,
    partitions_left_out: 0,
  };
}

function history(one, query) {
  return columns(
    query,
    {
      lag_records: (share, wave) => Math.round((one.lag_records ?? 0) * share * wave),
      lag_seconds: (share, wave) => (one.lag_seconds ?? 0) * share * wave,
      in_rate: (_, wave) => (one.in_rate ?? 0) * wave,
      out_rate: () => one.out_rate ?? 0,
    },
    (shares) => ({ health: shares.map((share) => (share > 0.6 ? one.health : "fine")) }),
  );
}

function plan(one, body) {
  const moves = detail(one).partitions.map(({ topic, partition, committed, start, end }) => {
    const after =
      { earliest: start, latest: end, by: committed + (body.offset ?? 0), offset: body.offset }[
        body.target
      ] ?? committed - 900;
    const to = Math.min(Math.max(after, start), end);
    return {
      topic,
      partition,
      before: committed,
      after: to,
      start,
      end,
      change: to - committed,
      cut: to !== after,
    };
  });
  return {
    applied: !body.dry_run,
    refused: one.members
      ? `${one.name} has ${String(one.members)} members: they would overwrite the change with their next commit. Stop them first.`
      : "",
    skipped: moves.reduce((sum, { change }) => sum + Math.max(0, change), 0),
    read_again: moves.reduce((sum, { change }) => sum + Math.max(0, -change), 0),
    moves,
  };
}

/** The answer to a path below consumer-group…, or null. */
export function consumerGroups(method, rest, query, body) {
  if (rest === "consumer-groups") return [200, { watches: WATCHES(), results: groups() }];
  const found = /^consumer-(groups|group-history|group-marks|group-offsets)\/([^/]+)\/(.+)$/.exec(rest);
  if (!found) return null;
  const one = groups().find(({ name }) => name === decodeURIComponent(found[3]));
  if (!one)
    return [404, { title: "Not found", status: 404, code: "GROUP_NOT_FOUND", detail: "No such group." }];
  if (found[1] === "group-history") return [200, history(one, query)];
  if (found[1] === "group-marks") return [200, marks(query)];
  if (found[1] === "group-offsets") return [200, plan(one, body)];
  return method === "DELETE" ? [204, null] : [200, detail(one)];
}

/** Frames of the channels groups and group/<cluster>/<group>. */
export function followGroups(channel, say) {
  say({ op: "subscribed", channel });
  const tell = () => {
    if (channel === "groups") {
      for (const watch of WATCHES()) say({ op: "watch", ...watch });
      for (const { trend: _, ...one } of groups())
        say({ op: "group", ...one, in_rate: one.in_rate && one.in_rate + Math.random() });
      return;
    }
    const one = groups().find(({ name }) => name === channel.split("/").slice(2).join("/"));
    if (one) say({ op: "group", ...detail(one), passed_us: (Date.now() - 900) * 1000, error: "" });
  };
  tell();
  return setInterval(tell, 3_000);
}
