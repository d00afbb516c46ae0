/** Random edits in the drawing, each with what a plain model of the graph says after it. */

import { inputsOf, latePort, nodeOf, type Outline } from "../outline";
import { renameStep, setLate } from "../document-edits";
import { OPERATORS } from "../operators";
import { copyNodes, pasteNodes } from "./clipboard";
import { misfit } from "./fits";
import { inputPorts, outputId, type Graph, type GraphEdge } from "./graph";
import { addItem, connect, disconnect, insertStep, outlineOf, removeNodes } from "./graph-edits";

/** What the text should say: the nodes, and each edge as reference, reader and input. */
interface Model {
  nodes: readonly string[];
  edges: readonly Wire[];
}
type Wire = readonly [reference: string, to: string, input: string];

const OPS = Object.keys(OPERATORS);

/** Numbers from 0 to 1 that are the same in each run (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

export function modelOf({ nodes, edges }: Graph): Model {
  return { nodes: nodes.map(({ id }) => id), edges: edges.map(wireOf) };
}

function wireOf({ reference, to, input }: GraphEdge): Wire {
  return [reference, to, input];
}

export function sorted({ nodes, edges }: Model) {
  return { nodes: [...nodes].sort(), edges: edges.map((wire) => wire.join(" ")).sort() };
}

const isSame = (a: Wire, b: Wire) => a.join() === b.join();

interface Step {
  text: string;
  expected: Model;
}
export type Edit = (state: { text: string; outline: Outline; graph: Graph; pick: Pick }) => Step | null;
export type Pick = <T>(from: readonly T[]) => T | undefined;

const onEdge: Edit = ({ text, graph, pick }) => {
  const edge = pick(graph.edges);
  const op = pick(OPS);
  if (!edge || !op) return null;
  const { text: next, id } = addItem(text, { kind: "step", op }, { edge });
  const name = id ?? "";
  const { nodes, edges } = modelOf(graph);
  return {
    text: next,
    expected: {
      nodes: [...nodes, name],
      edges: [
        ...edges.filter((wire) => !isSame(wire, wireOf(edge))),
        [edge.reference, name, inputPorts(op)[0]?.name ?? ""],
        [op === "branch" ? `${name}.rest` : name, edge.to, edge.input],
      ],
    },
  };
};

const apart: Edit = ({ text, graph, pick }) => {
  const op = pick(OPS) ?? "";
  const references = [pick(graph.nodes.flatMap(({ ports }) => ports))?.reference ?? ""].filter(Boolean);
  const { text: next, id } = insertStep(text, op, references, []);
  const { nodes, edges } = modelOf(graph);
  const wires = references.map((one): Wire => [one, id ?? "", inputPorts(op)[0]?.name ?? ""]);
  return { text: next, expected: { nodes: [...nodes, id ?? ""], edges: [...edges, ...wires] } };
};

const connection: Edit = ({ text, outline, graph, pick }) => {
  const reader = pick(graph.nodes.filter(({ inputs }) => inputs.length));
  const input = pick(reader?.inputs ?? []);
  const reference = pick(graph.nodes.flatMap(({ ports }) => ports))?.reference;
  if (!reader || !input || !reference) return null;
  const target = { to: reader.id, input: input.name };
  if (misfit({ outline, graph, nodes: [] }, reference, target)) return null;
  const { nodes, edges } = modelOf(graph);
  const kept = edges.filter(([, to, name]) => input.many || to !== target.to || name !== target.input);
  return {
    text: connect(text, { reference, ...target }),
    expected: { nodes, edges: [...kept, [reference, target.to, target.input]] },
  };
};

const disconnection: Edit = ({ text, graph, pick }) => {
  const edge = pick(graph.edges);
  if (!edge) return null;
  const { nodes, edges } = modelOf(graph);
  return {
    text: disconnect(text, edge),
    expected: { nodes, edges: edges.filter((wire) => !isSame(wire, wireOf(edge))) },
  };
};

const removal: Edit = ({ text, outline, graph, pick }) => {
  const id = pick(graph.nodes)?.id ?? "";
  const step = outline.steps.find(({ name }) => name === id);
  const first = step ? (inputsOf(step)[0] ?? "") : "";
  const { nodes, edges } = modelOf(graph);
  const lateOutputs = edges
    .filter(([reference, to]) => reference === latePort(id) && to.startsWith(outputId("")))
    .map(([, to]) => to);
  const gone = new Set([id, ...lateOutputs]);
  const joined = edges
    .filter(([, to]) => !gone.has(to))
    .map((wire): Wire => (nodeOf(wire[0]) === id ? [first, wire[1], wire[2]] : wire))
    .filter(([reference]) => reference);
  return {
    text: removeNodes(text, [id]),
    expected: {
      nodes: nodes.filter((one) => !gone.has(one)),
      edges: joined.filter((wire, at) => joined.findIndex((one) => isSame(one, wire)) === at),
    },
  };
};

const renaming: Edit = ({ text, outline, graph, pick }) => {
  const name = pick(outline.steps)?.name;
  if (!name) return null;
  const next = `${name.slice(0, 20)}_n`;
  if (graph.nodes.some(({ id }) => id === next)) return null;
  const { nodes, edges } = modelOf(graph);
  const named = (one: string) => (nodeOf(one) === name ? next + one.slice(name.length) : one);
  return {
    text: renameStep(text, outline, name, next),
    expected: {
      nodes: nodes.map(named),
      edges: edges.map(([reference, to, input]) => [named(reference), named(to), input]),
    },
  };
};

const copying: Edit = ({ text, outline, graph, pick }) => {
  const ids = [pick(graph.nodes)?.id, pick(graph.nodes)?.id, pick(outline.steps)?.name].filter(
    (id) => id !== undefined,
  );
  const chosen = [...new Set(ids)].filter((id) => !id.startsWith(outputId("")));
  const { text: next, ids: pasted } = pasteNodes(text, copyNodes(text, chosen));
  const { nodes, edges } = modelOf(graph);
  const before = new Set(nodes);
  const inOrder = graph.nodes.map(({ id }) => id).filter((id) => chosen.includes(id));
  const isSource = (id: string) => outline.sources.some((row) => row.name === id);
  const order = [
    ...inOrder.filter(isSource),
    ...documentOrder(
      inOrder.filter((id) => !isSource(id)),
      text,
    ),
  ];
  const names = new Map(order.map((id, at) => [id, pasted[at] ?? ""]));
  const named = (reference: string) =>
    (names.get(nodeOf(reference)) ?? nodeOf(reference)) + reference.slice(nodeOf(reference).length);
  return {
    text: next,
    expected: {
      nodes: [...nodes, ...pasted.filter((id) => !before.has(id))],
      edges: [
        ...edges,
        ...edges
          .filter(([, to]) => chosen.includes(to))
          .map(([reference, to, input]): Wire => [named(reference), names.get(to) ?? "", input]),
      ],
    },
  };
};

/** Steps in the order of the copied text's outline, in which they are pasted. */
function documentOrder(ids: readonly string[], text: string): string[] {
  return outlineOf(copyNodes(text, ids)).steps.map(({ name }) => name);
}

const lateRows: Edit = ({ text, outline, graph, pick }) => {
  const step = pick(
    outline.steps.filter(({ op, params }) => op === "aggregate" && params["window"] !== undefined),
  );
  if (!step || step.params["late"] !== undefined) return null;
  const next = setLate(text, outline, step.name, true);
  const added = outlineOf(next).outputs.find(({ input }) => input === latePort(step.name))?.name ?? "";
  const { nodes, edges } = modelOf(graph);
  return {
    text: next,
    expected: {
      nodes: [...nodes, outputId(added)],
      edges: [...edges, [latePort(step.name), outputId(added), "input"]],
    },
  };
};

export const EDITS: readonly Edit[] = [
  onEdge,
  apart,
  connection,
  connection,
  disconnection,
  removal,
  renaming,
  copying,
  lateRows,
];
