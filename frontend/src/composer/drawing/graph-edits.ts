/** What the drawing changes in a document's text, which keeps its comments and its layout. No React. */

import {
  addSource,
  addStep,
  addTopicOutput,
  freeLive,
  removeOutput,
  removeSource,
  removeStep,
  setReference,
} from "../document-edits";
import { edited } from "../document-text";
import { OPERATORS } from "../operators";
import { removeValue } from "../kept-comments";
import { makeMappings } from "../mappings-above";
import { freeName, nodeOf, readOutline, type Outline, type SourceRow } from "../outline";
import { kindOf } from "./fits";
import { graphOf, inputPorts, outputId, portName, type GraphEdge } from "./graph";

/** What the palette adds. */
export type Item =
  | { kind: "step"; op: string }
  | { kind: "source"; of: string; source: SourceRow["kind"] }
  | { kind: "output"; op: "result" | "topic" };

/** Where an item is added: on an edge, after references (the first one first), or nowhere in particular. */
export interface Place {
  edge?: GraphEdge | undefined;
  after?: readonly string[] | undefined;
  /** leave its inputs open rather than continue what the live result reads */
  apart?: boolean | undefined;
}
export interface Edited {
  text: string;
  /** ID of the node that was added; null if none was */
  id: string | null;
}
type Link = Pick<GraphEdge, "reference" | "to" | "input">;

/** The outline of a text that an edit has made. Throws for one that the drawing doesn't show. */
export function outlineOf(text: string): Outline {
  const reading = readOutline(text);
  if ("unsupported" in reading) throw new Error(reading.unsupported);
  return reading.outline;
}

/**
 * Lets an input read a reference: instead of what it read, or besides where it takes a list.
 * @param at position of the list's entry to replace; left out, a list gets one more
 */
export function connect(text: string, { reference, to, input }: Link, at?: number): string {
  return edited(text, (document) => {
    const path = pathOf(to, input);
    const many = isMany(outlineOf(text), to, input);
    if (!many) setReference(document, path, reference);
    else if (at !== undefined) document.setIn([...path, String(at)], reference);
    else if (document.hasIn([...path, "0"])) document.addIn(path, reference);
    else {
      makeMappings(document, path);
      document.setIn(path, document.createNode([reference], { flow: true }));
    }
  });
}

/** Removes one reference; the entry alone where it is one of a list. */
export function disconnect(text: string, { to, input, at }: GraphEdge): string {
  return edited(text, (document) => {
    const path = pathOf(to, input);
    if (isMany(outlineOf(text), to, input)) document.deleteIn([...path, String(at)]);
    else removeValue(document, path);
  });
}

function pathOf(to: string, input: string): string[] {
  return to.startsWith(outputId(""))
    ? ["outputs", to.slice(outputId("").length), input]
    : ["steps", to, input];
}

function isMany(outline: Outline, to: string, input: string): boolean {
  const step = outline.steps.find(({ name }) => name === to);
  return step !== undefined && Array.isArray(step.params[input]);
}

/** Adds what was chosen in the palette. */
export function addItem(text: string, item: Item, place: Place): Edited {
  const outline = outlineOf(text);
  if (item.kind === "source") return addedSource(text, outline, item);
  if (item.kind === "output") return addedOutput(text, outline, item.op, place.after?.[0] ?? "");
  if (place.edge) return insertStep(text, item.op, [place.edge.reference], [place.edge]);
  const after = (place.after ?? []).filter(Boolean);
  if (after.length || place.apart) {
    const inputs = withPartner(outline, item.op, after);
    return insertStep(text, item.op, inputs, liveReaders(outline, inputs));
  }
  return appendedStep(text, outline, item.op);
}

function addedSource(text: string, outline: Outline, item: Extract<Item, { kind: "source" }>): Edited {
  const next = addSource(text, outline, item.source, item.of);
  const known = new Set(outline.sources.map(({ name }) => name));
  return { text: next, id: outlineOf(next).sources.find(({ name }) => !known.has(name))?.name ?? null };
}

function addedOutput(text: string, outline: Outline, op: "result" | "topic", input: string): Edited {
  if (op === "topic") {
    const next = addTopicOutput(text, outline, input);
    const known = new Set(outline.outputs.map(({ name }) => name));
    const added = outlineOf(input ? next : withoutInput(next, outline)).outputs.find(
      ({ name }) => !known.has(name),
    );
    return { text: input ? next : withoutInput(next, outline), id: added ? outputId(added.name) : null };
  }
  if (outline.outputs.some(({ topic }) => topic === null)) return { text, id: null };
  const name = freeLive(outline);
  const next = edited(text, (document) => {
    const row = { ...(input && { input }), to: "result" };
    document.setIn(["outputs", name], document.createNode(row, { flow: true }));
  });
  return { text: next, id: outputId(name) };
}

/** An output without an input says so: the check then names what is missing. */
function withoutInput(text: string, before: Outline): string {
  const known = new Set(before.outputs.map(({ name }) => name));
  return edited(text, (document) => {
    for (const { name } of outlineOf(text).outputs)
      if (!known.has(name)) document.deleteIn(["outputs", name, "input"]);
  });
}

function appendedStep(text: string, outline: Outline, op: string): Edited {
  const operator = OPERATORS[op];
  if (!operator) return { text, id: null };
  const live = outline.outputs.find(({ topic }) => topic === null);
  if (!live && !outline.sources.length) return insertStep(text, op, [], []);
  return withRest(addStep(text, outline, op, operator), freeName(outline, op), op, live !== undefined);
}

/**
 * What a step with two inputs reads that is added after one node: besides its rows those of the only other
 * node that suits and that no step reads yet. A person who added two streams and then a join means both.
 */
function withPartner(outline: Outline, op: string, after: readonly string[]): readonly string[] {
  const [first] = after;
  if (first === undefined || after.length > 1 || inputPorts(op).length !== 2) return after;
  const { nodes, edges } = graphOf(outline);
  const read = new Set(edges.filter(({ to }) => !to.startsWith(outputId(""))).map(({ from }) => from));
  const references = nodes
    .filter(({ id, kind }) => kind !== "output" && (id === nodeOf(first) || !read.has(id)))
    .map(({ id }) => (id === nodeOf(first) ? first : firstReference(outline, id)))
    .filter(Boolean);
  const isChangelog = (reference: string) => kindOf({ outline, nodes: [] }, reference) === "upsert";
  const isTable = (reference: string) =>
    outline.sources.some(({ name, kind }) => name === reference && kind === "table");
  const suits = (reference: string) =>
    reference !== first &&
    (op === "table_join"
      ? isTable(first)
        ? !isChangelog(reference)
        : isTable(reference)
      : !isChangelog(first) && !isChangelog(reference));
  const partners = references.filter(suits);
  if (partners.length !== 1) return after;
  const both = references.filter((reference) => reference === first || partners.includes(reference));
  return both.sort((a, b) => Number(isTable(a)) - Number(isTable(b)));
}

/** The edges to the live result from what a new step reads: it comes in between. */
function liveReaders(outline: Outline, after: readonly string[]): GraphEdge[] {
  const live = outline.outputs.find(({ topic }) => topic === null);
  if (!live || !after.includes(live.input)) return [];
  return graphOf(outline).edges.filter(({ to }) => to === outputId(live.name));
}

/** Adds a step that reads the references, in the order of its inputs; the readers then read the step. */
export function insertStep(
  text: string,
  op: string,
  references: readonly string[],
  readers: readonly GraphEdge[],
): Edited {
  const operator = OPERATORS[op];
  if (!operator) return { text, id: null };
  const name = freeName(outlineOf(text), op);
  const inputs = Object.fromEntries(
    inputPorts(op).flatMap(({ name: input, many }, at): [string, unknown][] => {
      const found = many ? references : references[at];
      return found === undefined ? [] : [[input, found]];
    }),
  );
  const added = edited(text, (document) => {
    document.setIn(["steps", name], document.createNode({ op, ...inputs, ...operator.fresh }));
    const list: unknown = document.getIn(["steps", name, "inputs"], true);
    if (typeof list === "object" && list !== null && "flow" in list) list.flow = true;
  });
  const reference = op === "branch" ? `${name}.${REST}` : name;
  const joined = readers.reduce(
    (now, { to, input, at }) => connect(now, { reference, to, input }, at),
    added,
  );
  return withRest(joined, name, op, readers.length > 0 && op === "branch");
}

/** What meets no condition of a new branch; its readers get all rows until there is one. */
const REST = "rest";

/** A branch has only named outputs, so what reads a new one reads its default branch. */
function withRest(text: string, name: string, op: string, isRead: boolean): Edited {
  if (op !== "branch" || !isRead) return { text, id: name };
  const next = edited(text, (document) => {
    document.setIn(["steps", name, REST], REST);
  });
  const edges = graphOf(outlineOf(next)).edges.filter(({ reference }) => reference === name);
  return {
    text: edges.reduce(
      (now, { to, input, at }) => connect(now, { reference: `${name}.${REST}`, to, input }, at),
      next,
    ),
    id: name,
  };
}

/** Removes nodes: the readers of a step get its first input, those of a source get nothing. */
export function removeNodes(text: string, ids: readonly string[]): string {
  return ids.reduce(removeNode, text);
}

function removeNode(text: string, id: string): string {
  const outline = outlineOf(text);
  if (id.startsWith(outputId(""))) return removeOutput(text, id.slice(outputId("").length));
  if (outline.steps.some(({ name }) => name === id)) return removeStep(text, outline, id);
  if (!outline.sources.some(({ name }) => name === id)) return text;
  const edges = graphOf(outline).edges.filter(({ from }) => from === id);
  const open = [...edges].sort((a, b) => b.at - a.at).reduce(disconnect, text);
  return removeSource(open, id);
}

/** The reference that a new step after a node reads: its rows, or the first port of a branch. */
export function firstReference(outline: Outline, id: string): string {
  const ports = graphOf(outline).nodes.find((node) => node.id === id)?.ports ?? [];
  const main = ports.find(({ name }) => name === "");
  return (main ?? ports.find(({ reference }) => portName(reference) !== "late"))?.reference ?? "";
}
