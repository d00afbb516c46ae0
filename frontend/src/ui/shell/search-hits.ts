/** What the search finds: jobs, streams, dashboards, fields, pages, and words of what they show. No React. */

import type { Right } from "../../api/types";
import type { IconName } from "../icons";
import {
  ADMIN_TABS,
  ALERT_TABS,
  JOB_TABS,
  MAIN_PAGES,
  OTHER_PAGES,
  STREAM_TABS,
  allowed,
  streamTabsFor,
  type PageEntry,
  type TabEntry,
} from "./pages";

export interface Hit {
  kind: "job" | "stream" | "field" | "group" | "dashboard" | "page";
  name: string;
  href: string;
  icon: IconName;
  /** what else it is found by */
  words: string;
}

interface Searched {
  jobs: readonly { id: string; name: string }[];
  groups: readonly { cluster: string; name: string; topics: readonly string[] }[];
  dashboards: readonly { id: string; name: string }[];
  /** of the person: pages that others can't open aren't found */
  rights: readonly Right[];
  streams: readonly {
    name: string;
    topic: string;
    kind: "stream" | "table";
    contract: { fields?: readonly { name: string }[] };
  }[];
}

const page = ({ name, href, icon, words }: PageEntry): Hit => ({ kind: "page", name, href, icon, words });

/** @param of whose tabs they are, as names of hits say it: " of orders" */
function tabHits(base: string, icon: IconName, of: string, tabs: readonly TabEntry[]): Hit[] {
  return tabs
    .filter(({ path }) => path !== "" || of === "")
    .map(({ path, label, words }) =>
      page({ name: label + of, href: path ? `${base}/${path}` : base, icon, words }),
    );
}

/** What is shown without a tab is found with the whole. */
function firstOf(tabs: readonly TabEntry[]): string {
  const first = tabs.find(({ path }) => path === "");
  return first ? `${first.label} ${first.words}` : "";
}

function allHits({ jobs, streams, groups, dashboards, rights }: Searched): Hit[] {
  return [
    ...jobs.map(({ id, name }): Hit => ({
      kind: "job",
      name,
      href: `/jobs/${id}`,
      icon: "jobs",
      words: firstOf(JOB_TABS),
    })),
    ...streams.map(({ name, topic }): Hit => ({
      kind: "stream",
      name,
      href: `/streams/${name}`,
      icon: "streams",
      words: `${topic} ${firstOf(STREAM_TABS)}`,
    })),
    ...groups.map(({ cluster, name, topics }): Hit => ({
      kind: "group",
      name,
      href: `/consumers/${cluster}/${encodeURIComponent(name)}`,
      icon: "consumers",
      words: `consumer group ${topics.join(" ")}`,
    })),
    ...dashboards.map(({ id, name }): Hit => ({
      kind: "dashboard",
      name,
      href: `/dashboards/${id}`,
      icon: "dashboards",
      words: "dashboard",
    })),
    ...MAIN_PAGES.map(page),
    ...allowed(OTHER_PAGES, rights).map(page),
    ...tabHits("/alerts", "bell", "", ALERT_TABS),
    ...tabHits("/admin", "admin", "", allowed<TabEntry>(ADMIN_TABS, rights)),
    ...streams.flatMap(({ name, contract }) =>
      (contract.fields ?? []).map((field): Hit => ({
        kind: "field",
        name: `${field.name} of ${name}`,
        href: `/streams/${name}/contract`,
        icon: "streams",
        words: "",
      })),
    ),
    ...jobs.flatMap(({ id, name }) => tabHits(`/jobs/${id}`, "jobs", ` of ${name}`, JOB_TABS)),
    ...streams.flatMap(({ name, kind }) =>
      tabHits(`/streams/${name}`, "streams", ` of ${name}`, streamTabsFor(kind, rights)),
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
