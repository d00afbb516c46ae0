/** What a running job tells of the nodes and edges of its drawing. No React. */

import { ownValue } from "../../api/own-value";
import type { CheckedNode, JobLag, SourceLag, StateForecast } from "../../api/types";
import { seconds } from "../../ui/format/durations";
import { bytes, count, counted, rate, share } from "../../ui/format/numbers";
import { longTime } from "../../ui/format/times";
import { durationText } from "../../ui/labels";
import { sizeText } from "../forecast-text";
import type { StepRow } from "../outline";
import type { Graph, GraphEdge, GraphNode } from "./graph";
import type { Fact } from "./node-text";

/** Numbers of the run; null before anything is known. */
export type RunNumbers =
  | (Pick<JobLag, "sources" | "counts" | "given" | "steps" | "watermark_us"> & {
      /** when the watermark was told, µs */
      at_us?: number;
    })
  | null;

/** Whether rows came out of a node in the last minute: `idle` got none either, `stops` got some. */
export type Flow = "flows" | "idle" | "stops" | "unknown";

export interface LiveNode {
  facts: readonly Fact[];
  flow: Flow;
}

const UNKNOWN = "Unknown";
/** docs/decisions/2026-11-25-rows-by-step.md */
const UNCOUNTED = "Nothing counts these rows; counting them would slow the job by some 4%";
/** A lag below it is none to speak of. */
const NEAR_S = 10;

/**
 * @param nodes as checked: which sources move the watermark, and by what delay they trail
 * @param estimates of each step's state, from measured rates and sampled keys
 * @returns by node what the run tells of it; what it does not tell is said to be unknown
 */
export function liveNodes(
  graph: Graph,
  steps: readonly StepRow[],
  run: RunNumbers,
  estimates: readonly StateForecast[] = [],
  nodes: readonly CheckedNode[] = [],
): ReadonlyMap<string, LiveNode> {
  const rates = run?.given ?? {};
  const isStatic = staticNodes(graph, steps);
  const delays = delaysOf(nodes);
  return new Map(
    graph.nodes.map((node) => {
      const incoming = graph.edges
        .filter(({ to, from }) => to === node.id && !isStatic.has(from))
        .map(({ reference }) => reference);
      const rowsIn = sumOf(incoming.map((reference) => ownValue(rates, reference) ?? null));
      const rowsOut = sumOf(
        node.ports
          .filter(({ reference }) => Object.hasOwn(rates, reference))
          .map((p) => rates[p.reference] ?? null),
      );
      return [
        node.id,
        liveNode(node, {
          rowsIn,
          rowsOut,
          run,
          isStatic: isStatic.has(node.id),
          delays,
          estimate: estimates.find(({ step }) => step === node.id),
        }),
      ] as const;
    }),
  );
}

/** Rows per second of a reference in words; empty where it is unknown. */
export function rateText(run: RunNumbers, reference: string): string {
  const found = ownValue(run?.given ?? {}, reference) ?? null;
  return found === null ? "" : rate(found);
}

interface Measured {
  estimate: StateForecast | undefined;
  rowsIn: number | null;
  rowsOut: number | null;
  run: RunNumbers;
  isStatic: boolean;
  /** by source that moves the watermark */
  delays: ReadonlyMap<string, string>;
}

function liveNode(node: GraphNode, found: Measured): LiveNode {
  const { rowsIn, rowsOut, run } = found;
  switch (node.kind) {
    case "source":
      return {
        facts: sourceFacts(node.name, found),
        flow: found.isStatic ? "unknown" : flowOf(rowsOut, rowsOut),
      };
    case "step":
      return { facts: stepFacts(node, found), flow: flowOf(rowsIn, rowsOut) };
    case "output":
      return {
        facts: [{ label: "In", text: known(rowsIn) }],
        flow: run ? flowOf(rowsIn, rowsIn) : "unknown",
      };
  }
}

function flowOf(rowsIn: number | null, rowsOut: number | null): Flow {
  if (rowsOut === null) return "unknown";
  if (rowsOut > 0) return "flows";
  return rowsIn !== null && rowsIn > 0 ? "stops" : "idle";
}

function sourceFacts(name: string, { rowsOut, run, isStatic: readOnce, delays }: Measured): Fact[] {
  const behind = ownValue(run?.sources ?? {}, name);
  const read = ownValue(run?.counts?.sources ?? {}, name);
  const lagS = behind ? lagTime(behind) : null;
  const malformed: Fact = {
    label: "Malformed",
    text: read ? malformedText(read.malformed, read.records) : UNKNOWN,
    ...(read && read.malformed > 0 && { isWarning: true }),
  };
  const total: Fact = { label: "Read", text: read ? counted(read.records, "record") : UNKNOWN };
  if (readOnce) return [{ ...total, detail: "When the run started" }, malformed];
  return [
    { label: "Out", text: known(rowsOut) },
    {
      label: "Lag",
      text: behind ? lagText(behind.records, lagS) : UNKNOWN,
      ...(lagS && lagS.seconds >= NEAR_S && { isWarning: true }),
    },
    total,
    malformed,
    ...watermarkFacts(name, run, delays),
  ];
}

/** How far a source alone moves the watermark; where it is the only one, that of the run is the same. */
function watermarkFacts(name: string, run: RunNumbers, delays: ReadonlyMap<string, string>): Fact[] {
  const delay = delays.get(name);
  if (delay === undefined) return [];
  const waits: Fact = { label: "Delay", text: durationText(delay), detail: "Watermark delay" };
  const us =
    ownValue(run?.sources ?? {}, name)?.watermark_us ??
    (delays.size === 1 ? run?.watermark_us : null) ??
    null;
  if (us === null || us <= 0) return [{ label: "Watermark", text: UNKNOWN }, waits];
  const behind = run?.at_us === undefined ? null : (run.at_us - us) / 1e6;
  const detail = behind !== null && behind > 0 ? `${seconds(behind)} behind the clock` : "";
  return [{ label: "Watermark", text: longTime(new Date(us / 1000)), ...(detail && { detail }) }, waits];
}

function delaysOf(nodes: readonly CheckedNode[]): ReadonlyMap<string, string> {
  return new Map(
    nodes.flatMap(({ watermarks }) => watermarks.flatMap(({ delays }) => Object.entries(delays))),
  );
}

function malformedText(malformed: number, records: number): string {
  return malformed > 0 && records > 0
    ? `${count(malformed)} (${share(malformed / records)})`
    : count(malformed);
}

function stepFacts({ name, ports }: GraphNode, { rowsIn, rowsOut, run, estimate }: Measured): Fact[] {
  const named = ports.filter(({ name: port }) => port !== "");
  const byPort = named.map(
    ({ name: port, reference }) => `${port}: ${known(ownValue(run?.given ?? {}, reference) ?? null)}`,
  );
  const state = ownValue(run?.steps ?? {}, name);
  const counts = ownValue(run?.counts?.steps ?? {}, name);
  const late = counts?.late ?? null;
  const isUncounted = (rows: number | null) => rows === null && Object.keys(run?.given ?? {}).length > 0;
  return [
    { label: "In", text: known(rowsIn), ...(isUncounted(rowsIn) && { detail: UNCOUNTED }) },
    {
      label: "Out",
      text: known(rowsOut),
      ...(isUncounted(rowsOut) ? { detail: UNCOUNTED } : byPort.length && { detail: byPort.join(", ") }),
    },
    ...(state
      ? [{ label: "State", text: `${counted(state.state_rows, "row")}, ${bytes(state.state_bytes)}` }]
      : []),
    ...(estimate ? estimateFacts(estimate) : []),
    ...(late === null ? [] : [some("Late", late, "At least so many rows were late")]),
    ...(counts?.expression_nulls
      ? [some("Errors", counts.expression_nulls, "Rows in which an error became null")]
      : []),
    ...(counts?.keyless ? [some("Left out", counts.keyless, "Rows with a null in their key")] : []),
    ...(counts?.limit_reached
      ? [some("Limit", counts.limit_reached, "Results without a measure that passed its limit")]
      : []),
  ];
}

/** What the state was estimated to be, beside what it is. */
function estimateFacts({ rows, bytes: size, bound }: StateForecast): Fact[] {
  if (rows === null && size === null) return [];
  const perDay = bound === "unbounded";
  return [
    {
      label: "Estimate",
      text: `${rows === null ? "" : `${counted(rows, "row")}, `}${sizeText({ bytes: size }, perDay)}`,
      detail: "From the rates of the last minute and the distinct keys of the newest records",
    },
  ];
}

function some(label: string, rows: number, detail: string): Fact {
  return { label, text: counted(rows, "row"), detail, ...(rows > 0 && { isWarning: true }) };
}

function known(perSecond: number | null): string {
  return perSecond === null ? UNKNOWN : rate(perSecond);
}

interface LagTime {
  seconds: number;
  isLowerBound: boolean;
}

/** The lag of a source in time; null: nothing is known of it. What one partition is behind, the source is. */
function lagTime({ seconds: exact, partitions }: SourceLag): LagTime | null {
  if (exact !== null) return { seconds: exact, isLowerBound: false };
  const known = partitions.flatMap(({ seconds: one }) => (one === null ? [] : [one]));
  return known.length ? { seconds: Math.max(...known), isLowerBound: true } : null;
}

function lagText(records: number | null, time: LagTime | null): string {
  if (records === null) return time ? timeText(time) : UNKNOWN;
  return [counted(records, "record"), ...(time ? [timeText(time)] : [])].join(", ");
}

function timeText({ seconds: lagS, isLowerBound }: LagTime): string {
  return isLowerBound ? `at least ${seconds(lagS)}` : seconds(lagS);
}

/** Nodes that are read once, when the run starts: only broadcast tables of joins read them. */
export function staticNodes({ nodes, edges }: Graph, steps: readonly StepRow[]): ReadonlySet<string> {
  const broadcasts = new Set(
    steps.filter(({ params }) => params["broadcast"] !== undefined).map(({ name }) => name),
  );
  const found = new Set<string>();
  const isRead = ({ to, input }: GraphEdge) => !(input === "table" && broadcasts.has(to)) && !found.has(to);
  for (const { id } of [...nodes].reverse()) {
    const readers = edges.filter(({ from }) => from === id);
    if (readers.length && !readers.some(isRead)) found.add(id);
  }
  return found;
}

export function sumOf(parts: readonly (number | null)[]): number | null {
  const knownParts = parts.filter((part) => part !== null);
  return parts.length > 0 && knownParts.length === parts.length
    ? knownParts.reduce((sum, part) => sum + part, 0)
    : null;
}
