/** The map of a workspace as it is drawn and read out. No React. */

import { HEALTH } from "../../lag-health/health";
import type { StatusFrame } from "../../live/frames";
import { hasEnded, isReading } from "../../live/run-state";
import type { MapEdge, MapNode } from "../../api/types";
import { seconds } from "../../ui/format/durations";
import { bytes, counted, rate } from "../../ui/format/numbers";
import { stateStyle, type Tone } from "../../ui/status";

/** A job that is farther behind is pointed out. */
const FAR_BEHIND_S = 60;

/** Stream, table, missing name or job, with what is said of it. */
export interface Place {
  id: string;
  kind: MapNode["kind"];
  name: string;
  /** what it is, and of a stream its topic */
  title: string;
  /** of a job */
  state: { word: string; tone: Tone } | null;
  lines: readonly string[];
  needsLook: boolean;
  /** where a click leads; null for a name that is not registered */
  href: string | null;
}

/** @param states of runs, by job, as they are pushed */
export function placesOf(
  nodes: readonly MapNode[],
  states: ReadonlyMap<string, StatusFrame>,
): readonly Place[] {
  return nodes.map((node) => {
    const job = node.job;
    if (!job) return placeOfStream(node);
    const frame = states.get(job.id);
    const observed = frame?.observed ?? job.observed;
    const { word, tone } = stateStyle(observed);
    const lag = frame?.lag ?? job.lag;
    const behind = lag?.seconds ?? null;
    const perSecond = frame?.rows_per_second === undefined ? job.rows_per_second : frame.rows_per_second;
    const rowsIn = perSecond === null ? "Rate unknown" : `${rate(perSecond)} in`;
    return {
      id: node.id,
      kind: node.kind,
      name: node.name,
      title: "Job",
      state: { word, tone },
      lines: [
        isReading(observed)
          ? `${rowsIn}, lag ${lagText(lag?.records ?? null, behind)}`
          : hasEnded(observed)
            ? "No rates while it doesn't run"
            : "Rates unknown",
        job.state_rows !== null
          ? `Keeps ${counted(job.state_rows, "row")}, ${bytes(job.state_bytes)}`
          : hasEnded(observed)
            ? ""
            : "State unknown or none",
      ],
      needsLook: tone === "bad" || (behind !== null && behind >= FAR_BEHIND_S) || isUnhealthy(frame),
      href: `/jobs/${job.id}`,
    };
  });
}

/** Says more than the lag in time, which isn't known where it is a lower bound. */
function isUnhealthy(frame: StatusFrame | undefined): boolean {
  const health = frame?.lag_health?.health;
  return health !== undefined && HEALTH[health].tone === "bad";
}

const WORDS: Readonly<Record<MapNode["kind"], string>> = {
  stream: "Stream",
  table: "Table",
  missing: "Not registered",
  job: "Job",
};

function placeOfStream({ id, kind, name, topic, cluster_name: cluster }: MapNode): Place {
  return {
    id,
    kind,
    name,
    title: WORDS[kind],
    state: null,
    lines: [kind === "missing" ? "A job names it" : `Topic ${topic}, ${cluster}`],
    needsLook: kind === "missing",
    href: kind === "missing" ? null : `/streams/${encodeURIComponent(name)}`,
  };
}

function lagText(records: number | null, behind: number | null): string {
  if (records === null && behind === null) return "unknown";
  return behind === null ? counted(records, "record") : seconds(behind);
}

/** What flows along an edge, in words. */
export function flowText(edge: MapEdge): string {
  return edge.rows_per_second === null ? "rate unknown" : rate(edge.rows_per_second);
}

/** Places whose name, topic or state contains all words. */
export function matching(places: readonly Place[], words: string): ReadonlySet<string> {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  if (!wanted.length) return new Set();
  const said = (place: Place) =>
    [place.name, place.title, place.state?.word ?? "", ...place.lines].join(" ").toLowerCase();
  return new Set(
    places.filter((place) => wanted.every((word) => said(place).includes(word))).map(({ id }) => id),
  );
}

/** A place for screen readers: what it is and what flows in and out. */
export function spoken(place: Place, edges: readonly MapEdge[], names: ReadonlyMap<string, string>): string {
  const nameOf = (id: string) => names.get(id) ?? id;
  const into = edges.filter(({ to }) => to === place.id).map((e) => `${nameOf(e.from)}, ${flowText(e)}`);
  const outOf = edges.filter(({ from }) => from === place.id).map((e) => `${nameOf(e.to)}, ${flowText(e)}`);
  return [
    `${place.title} ${place.name}`,
    ...(place.state ? [place.state.word] : []),
    ...place.lines.filter(Boolean),
    ...(into.length ? [`from ${into.join("; ")}`] : []),
    ...(outOf.length ? [`to ${outOf.join("; ")}`] : []),
  ].join(". ");
}
