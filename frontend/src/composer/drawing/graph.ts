/** A document as a graph: sources, steps and outputs are nodes, references between them edges. No React. */

import type { CheckedNode } from "../../api/types";
import { asText, asTexts } from "../form/values";
import { OPERATORS } from "../operators";
import { latePort, nodeOf, type Outline, type OutputRow, type StepRow } from "../outline";

export type NodeKind = "source" | "step" | "output";

/** What a step or output reads by one parameter. */
export interface InputPort {
  name: string;
  label: string;
  /** whether it takes more than one reference */
  many: boolean;
}
/** What others may read of a node. */
export interface OutputPort {
  /** empty for the rows of the node itself */
  name: string;
  reference: string;
}
export interface GraphNode {
  id: string;
  kind: NodeKind;
  name: string;
  /** the operator of a step; stream or table; result or topic */
  op: string;
  inputs: readonly InputPort[];
  ports: readonly OutputPort[];
}
export interface GraphEdge {
  id: string;
  from: string;
  /** the reference that is read: a node or node.port */
  reference: string;
  to: string;
  input: string;
  /** position in a list of references, else 0 */
  at: number;
}
export interface Graph {
  nodes: readonly GraphNode[];
  edges: readonly GraphEdge[];
}

/** The ID of an output's node; those of sources and steps are their names. */
export function outputId(name: string): string {
  return `output:${name}`;
}

/**
 * @param outline what the document says
 * @param checked the nodes of the last check, for ports of operators that are not known here
 * @returns nodes in the order of the document, edges by the node that reads; references to nothing have none
 */
export function graphOf(outline: Outline, checked: readonly CheckedNode[] = []): Graph {
  const names = new Set([...outline.sources, ...outline.steps].map(({ name }) => name));
  const edges = [...outline.steps.flatMap(stepEdges), ...outline.outputs.flatMap(outputEdges)].filter(
    ({ from }) => names.has(from),
  );
  const portsOf = (name: string, declared: readonly string[]): OutputPort[] => {
    const read = edges.filter(({ from }) => from === name).map(({ reference }) => portName(reference));
    return [...new Set([...declared, ...read])].map((port) => ({
      name: port,
      reference: port ? `${name}.${port}` : name,
    }));
  };
  return {
    nodes: [
      ...outline.sources.map(({ name, kind }) => ({
        id: name,
        kind: "source" as const,
        name,
        op: kind,
        inputs: [],
        ports: portsOf(name, [""]),
      })),
      ...outline.steps.map((step) => ({
        id: step.name,
        kind: "step" as const,
        name: step.name,
        op: step.op,
        inputs: inputPorts(step.op),
        ports: portsOf(step.name, declaredPorts(step, checked)),
      })),
      ...outline.outputs.map(({ name, topic }) => ({
        id: outputId(name),
        kind: "output" as const,
        name,
        op: topic === null ? "result" : "topic",
        inputs: [INPUT],
        ports: [],
      })),
    ],
    edges,
  };
}

const INPUT: InputPort = { name: "input", label: "Input", many: false };

/** The inputs of an operator; one that is not known is taken to have one. */
export function inputPorts(op: string): readonly InputPort[] {
  const operator = OPERATORS[op];
  if (!operator) return [INPUT];
  return operator.inputs.map((name) => ({
    name,
    label: operator.inputLabels[name] ?? name,
    many: name === "inputs",
  }));
}

/** The port in a reference; empty for the rows of the node itself. */
export function portName(reference: string): string {
  return reference.slice(nodeOf(reference).length + 1);
}

function declaredPorts({ name, op, params }: StepRow, checked: readonly CheckedNode[]): string[] {
  if (op === "branch") {
    const branches: unknown = params["branches"];
    const named = typeof branches === "object" && branches !== null ? Object.keys(branches) : [];
    return [...named, asText(params["rest"])].filter(Boolean);
  }
  const late = params["late"] === "dead_letter" ? [portName(latePort(name))] : [];
  if (op in OPERATORS) return ["", ...late];
  const found = checked.find((node) => node.name === name && node.op === op);
  return [...(found?.only_ports ? [] : [""]), ...(found?.ports ?? []).map((port) => port.name)];
}

function stepEdges({ name, op, params }: StepRow): GraphEdge[] {
  return inputPorts(op).flatMap(({ name: input }) => {
    const value = params[input];
    const references = Array.isArray(value) ? asTexts(value) : [asText(value)].filter(Boolean);
    return references.map((reference, at) => edge(reference, name, input, at));
  });
}

function outputEdges({ name, input }: OutputRow): GraphEdge[] {
  return input ? [edge(input, outputId(name), "input", 0)] : [];
}

function edge(reference: string, to: string, input: string, at: number): GraphEdge {
  return {
    id: `${reference}→${to}.${input}.${String(at)}`,
    from: nodeOf(reference),
    reference,
    to,
    input,
    at,
  };
}

/** Whether a path of edges leads from one node to another; a node leads to itself. */
export function leadsTo({ edges }: Graph, from: string, to: string): boolean {
  const seen = new Set([from]);
  for (const id of seen) {
    if (id === to) return true;
    for (const one of edges) if (one.from === id) seen.add(one.to);
  }
  return false;
}
