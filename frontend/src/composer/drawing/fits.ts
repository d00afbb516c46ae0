/** Which rows an input takes, so that a connection shows its targets before it is drawn. No React. */

import type { CheckedNode } from "../../api/types";
import { inputsOf, nodeOf, type Outline, type StepRow } from "../outline";
import { readWindow } from "../window-choice";
import { leadsTo, portName, type Graph } from "./graph";

export type RelationKind = CheckedNode["kind"];

/** What a connection is drawn in: the document as outline and graph, and its last check. */
export interface Drawn {
  outline: Outline;
  graph: Graph;
  nodes: readonly CheckedNode[];
}
export interface Target {
  /** ID of the node that reads */
  to: string;
  input: string;
}

/** Operators whose rows are of the same kind as those of their input. */
const KEEP_KIND: ReadonlySet<string> = new Set(
  ["filter", "derive", "select", "rename", "drop", "cast", "flatten", "branch", "sample", "change"], //
);
/** Operators that refuse a changelog as input. */
const APPEND_ONLY: ReadonlySet<string> = new Set(
  ["split", "explode", "union", "deduplicate", "latest", "aggregate", "join", "table_join", "throttle"], //
);
const STATEFUL: ReadonlySet<string> = new Set(
  ["deduplicate", "latest", "aggregate", "change", "join", "throttle"], //
);
/** Operators that hand on late rows, besides those that keep the kind. */
const KEEP_LATE: ReadonlySet<string> = new Set(["split", "explode", "union", "table_join"]);
const AT_WINDOW_END: ReadonlySet<string> = new Set(["session", "sliding"]);
const COMPARABLE: ReadonlySet<string> = new Set(["tumbling", "calendar"]);

/**
 * @returns why the target can't read the reference; null if it can. Only what follows from the kinds of rows:
 *   the check finds the rest.
 */
export function misfit(drawn: Drawn, reference: string, { to, input }: Target): string | null {
  const from = nodeOf(reference);
  if (from === to) return "A step can't read itself.";
  if (leadsTo(drawn.graph, to, from)) return "The steps would form a cycle.";
  if (
    drawn.graph.edges.some((edge) => edge.to === to && edge.input === input && edge.reference === reference)
  )
    return "Already connected.";
  const step = drawn.outline.steps.find(({ name }) => name === to);
  return step ? refusedBy(drawn, step, input, reference) : null;
}

function refusedBy(drawn: Drawn, step: StepRow, input: string, reference: string): string | null {
  const { op } = step;
  if (op === "table_join" && input === "table")
    return isTable(drawn.outline, reference) ? null : "This input needs a table.";
  if (op === "change")
    return isComparable(drawn.outline, reference)
      ? null
      : "This input needs a tumbling or calendar aggregate.";
  if (isStateful(step) && isLate(drawn.outline, reference)) return "Late rows can't go to a stateful step.";
  if (APPEND_ONLY.has(op) && kindOf(drawn, reference) === "upsert")
    return "This input needs append-only rows.";
  return null;
}

function isStateful({ op, params }: StepRow): boolean {
  return STATEFUL.has(op) || (op === "table_join" && (params["broadcast"] ?? null) === null);
}

/** Whether a reference is the late output of a step; a branch may be named so, too. */
function isLatePort({ op }: StepRow, reference: string): boolean {
  return portName(reference) === "late" && op !== "branch";
}

/** Whether rows come from a late output, also through steps that hand them on. */
function isLate(outline: Outline, reference: string): boolean {
  const references = new Set([reference]);
  for (const at of references) {
    const step = outline.steps.find(({ name }) => name === nodeOf(at));
    if (!step) continue;
    if (isLatePort(step, at)) return true;
    const handsOn = KEEP_KIND.has(step.op) || KEEP_LATE.has(step.op);
    if (handsOn) for (const input of inputsOf(step)) references.add(input);
  }
  return false;
}

/** Whether the rows of a reference are only added or also replaced. */
export function kindOf(
  { outline, nodes }: Pick<Drawn, "outline" | "nodes">,
  reference: string,
): RelationKind {
  const seen = new Set<string>();
  for (let at = reference; ;) {
    const name = nodeOf(at);
    const source = outline.sources.find((row) => row.name === name);
    if (source) return source.kind === "table" ? "upsert" : "append";
    const step = outline.steps.find((row) => row.name === name);
    if (!step || seen.has(name) || isLatePort(step, at)) return "append";
    seen.add(name);
    if (!KEEP_KIND.has(step.op)) return ownKind(step, nodes);
    at = inputsOf(step)[0] ?? "";
  }
}

function ownKind(step: StepRow, nodes: readonly CheckedNode[]): RelationKind {
  if (step.op === "latest") return "upsert";
  if (step.op === "aggregate") return isFinal(step) ? "append" : "upsert";
  if (APPEND_ONLY.has(step.op)) return "append";
  return nodes.find(({ name, op }) => name === step.name && op === step.op)?.kind ?? "append";
}

/** Whether an aggregate gives each result once, when its window closes. */
export function isFinal({ params }: StepRow): boolean {
  return params["emit"] === "final" || AT_WINDOW_END.has(readWindow(params["window"]).kind);
}

/** A table that a step looks up: a source of that kind, also after steps that keep its rows. */
function isTable(outline: Outline, reference: string): boolean {
  const seen = new Set<string>();
  for (let name = nodeOf(reference); !seen.has(name);) {
    seen.add(name);
    const source = outline.sources.find((row) => row.name === name);
    if (source) return source.kind === "table";
    const step = outline.steps.find((row) => row.name === name);
    if (!step || !KEEP_KIND.has(step.op)) return false;
    name = nodeOf(inputsOf(step)[0] ?? "");
  }
  return false;
}

function isComparable(outline: Outline, reference: string): boolean {
  const step = outline.steps.find(({ name }) => name === reference);
  return step?.op === "aggregate" && COMPARABLE.has(readWindow(step.params["window"]).kind);
}
