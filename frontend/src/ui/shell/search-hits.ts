/** What the search finds: jobs, streams, fields, pages, and words for what pages show. No React. */

import type { IconName } from "../icons";

export interface Hit {
  kind: "job" | "stream" | "field" | "group" | "page";
  name: string;
  href: string;
  icon: IconName;
  /** what else it is found by */
  words: string;
}

interface Searched {
  jobs: readonly { id: string; name: string }[];
  groups: readonly { cluster: string; name: string; topics: readonly string[] }[];
  streams: readonly { name: string; topic: string; contract: { fields?: readonly { name: string }[] } }[];
}

const page = (name: string, href: string, icon: IconName, words: string): Hit => ({
  kind: "page",
  name,
  href,
  icon,
  words,
});

const PAGES: readonly Hit[] = [
  page("Overview", "/", "overview", "home attention events throughput"),
  page("Jobs", "/jobs", "jobs", "queries pipelines"),
  page("New job", "/jobs/new", "plus", "create example form yaml composer"),
  page("Streams", "/streams", "streams", "tables contracts"),
  page("Register a stream", "/streams/new", "plus", "create stream table contract"),
  page("Topics", "/topics", "streams", "kafka partitions retention compaction offsets"),
  page("Schemas", "/schemas", "streams", "registry subjects avro compatibility"),
  page("Consumers", "/consumers", "consumers", "consumer groups lag offsets members rebalance"),
  page("Dashboards", "/dashboards", "dashboards", "charts panels boards share kiosk"),
  page("Members", "/admin", "admin", "users roles invitations permissions"),
  page("Your tokens", "/admin/tokens", "admin", "api keys access"),
  page("Kafka clusters", "/admin/clusters", "admin", "brokers connections tls sasl bootstrap"),
  page("Engines", "/admin/engines", "admin", "spark slots memory driver"),
];

/** What a job's tabs show, by the words people look for. */
const TABS: readonly { path: string; label: string; words: string }[] = [
  {
    path: "lag",
    label: "Lag",
    words: "consumer group consumer lag offsets watermark partitions latency state",
  },
  { path: "versions", label: "Versions", words: "restore rollback history compare difference" },
  { path: "problems", label: "Problems", words: "malformed records dead letters errors reasons" },
  { path: "runs", label: "Runs", words: "starts failures crashes history" },
];

function allHits({ jobs, streams, groups }: Searched): Hit[] {
  return [
    ...jobs.map(({ id, name }): Hit => ({ kind: "job", name, href: `/jobs/${id}`, icon: "jobs", words: "" })),
    ...streams.map(({ name, topic }): Hit => ({
      kind: "stream",
      name,
      href: `/streams/${name}`,
      icon: "streams",
      words: topic,
    })),
    ...groups.map(({ cluster, name, topics }): Hit => ({
      kind: "group",
      name,
      href: `/consumers/${cluster}/${encodeURIComponent(name)}`,
      icon: "consumers",
      words: `consumer group ${topics.join(" ")}`,
    })),
    ...PAGES,
    ...streams.flatMap(({ name, contract }) =>
      (contract.fields ?? []).map((field): Hit => ({
        kind: "field",
        name: `${field.name} of ${name}`,
        href: `/streams/${name}/contract`,
        icon: "streams",
        words: "",
      })),
    ),
    ...jobs.flatMap(({ id, name }) =>
      TABS.map(({ path, label, words }): Hit => ({
        kind: "page",
        name: `${label} of ${name}`,
        href: `/jobs/${id}/${path}`,
        icon: "jobs",
        words,
      })),
    ),
  ];
}

/**
 * The best hits first: a name that begins with the text, one that has it, then what is found by its words.
 *
 * @param text every word of it has to be found
 */
export function searchHits(searched: Searched, text: string, limit: number): Hit[] {
  const wanted = text.trim().toLowerCase();
  const all = allHits(searched);
  if (!wanted) return all.filter(({ kind }) => kind !== "field" && kind !== "group").slice(0, limit);
  const parts = wanted.split(/\s+/);
  const rank = ({ name, words }: Hit): number => {
    const lower = name.toLowerCase();
    if (lower.startsWith(wanted)) return 0;
    if (lower.includes(wanted)) return 1;
    const everything = `${lower} ${words.toLowerCase()}`;
    return parts.every((part) => everything.includes(part)) ? 2 : 3;
  };
  return all
    .map((hit) => ({ hit, rank: rank(hit) }))
    .filter((one) => one.rank < 3)
    .sort((a, b) => a.rank - b.rank)
    .slice(0, limit)
    .map(({ hit }) => hit);
}
