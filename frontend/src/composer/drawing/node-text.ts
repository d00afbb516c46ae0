/** What a node of the drawing says of itself, from the document and its last check. No React. */

import type { CheckedNode, Problem, SchemaField, StateForecast } from "../../api/types";
import { counted } from "../../ui/format/numbers";
import { sizeText } from "../forecast-text";
import { identityText, watermarkText } from "../node-text";
import { OPERATORS } from "../operators";
import { inputsOf, type Outline, type StepRow } from "../outline";
import { isFinal } from "./fits";
import type { GraphNode } from "./graph";

export interface Fact {
  label: string;
  text: string;
  /** more of it, where there is room */
  detail?: string;
  /** something that may need attention */
  isWarning?: boolean;
}
export interface NodeText {
  title: string;
  fields: readonly SchemaField[];
  /** null: the check has not told them */
  facts: readonly Fact[] | null;
  problems: readonly Problem[];
}
export interface Told {
  outline: Outline;
  nodes: readonly CheckedNode[];
  problems: readonly Problem[];
  forecast: readonly StateForecast[];
}

/** @returns what stands in a node, without its name */
export function nodeTextOf(node: GraphNode, { outline, nodes, problems, forecast }: Told): NodeText {
  const checked = node.kind === "output" ? undefined : nodes.find(({ name }) => name === node.name);
  const step = outline.steps.find(({ name }) => node.kind === "step" && name === node.name);
  const section = node.kind === "output" ? "outputs" : node.kind === "source" ? "sources" : "steps";
  return {
    title: titleOf(node, outline),
    fields: checked?.only_ports === false ? checked.schema : [],
    facts: checked ? factsOf(checked, step, outline, forecast) : null,
    problems: problems.filter(({ path }) => path[0] === section && path[1] === node.name),
  };
}

function titleOf({ kind, name, op }: GraphNode, outline: Outline): string {
  if (kind === "step") return OPERATORS[op]?.title ?? (op || "Step without an operator");
  if (kind === "source") {
    const of = outline.sources.find((row) => row.name === name)?.of ?? "";
    const word = op === "table" ? "Table" : "Stream";
    return of === name ? word : `${word} ${of}`;
  }
  const topic = outline.outputs.find((row) => row.name === name)?.topic ?? null;
  return topic === null ? "Live result" : topic ? `Topic ${topic}` : "Topic";
}

function factsOf(
  checked: CheckedNode,
  step: StepRow | undefined,
  outline: Outline,
  forecast: readonly StateForecast[],
): Fact[] {
  const rows = checked.only_ports ? [] : rowFacts(checked);
  if (!step || checked.state.bound === "none") return rows;
  const emission = emissionText(step, outline);
  return [
    ...rows,
    ...(emission ? [{ label: "Emits", text: emission }] : []),
    stateFact(checked, forecast),
    ...watermarkText(checked).map((text) => ({ label: "Watermark", text })),
  ];
}

function rowFacts(checked: CheckedNode): Fact[] {
  const key = identityText(checked);
  const kind = { label: "Rows", text: checked.kind === "upsert" ? "Upsert" : "Append-only" };
  return key ? [kind, { label: "Key", text: key }] : [kind];
}

function stateFact({ name, state }: CheckedNode, forecast: readonly StateForecast[]): Fact {
  const found = forecast.find(({ step }) => step === name);
  const isUnbounded = state.bound === "unbounded";
  const size = found && found.bytes !== null ? `, ${sizeText(found, isUnbounded)}` : "";
  return {
    label: "State",
    text: `${isUnbounded ? "Unbounded" : "Bounded"}${size}`,
    detail: state.why,
    ...(isUnbounded && { isWarning: true }),
  };
}

/** When a step with state gives its rows; empty where it is not known. */
export function emissionText(step: StepRow, outline: Outline): string {
  switch (step.op) {
    case "aggregate":
      return isFinal(step) ? "When the window closes" : "On every update";
    case "change": {
      const of = outline.steps.find(({ name }) => name === inputsOf(step)[0]);
      return of?.op === "aggregate" ? emissionText(of, outline) : "";
    }
    case "latest":
      return "On every update";
    case "join":
      return joinEmission(step.params["type"]);
    case "deduplicate":
      return "With the first row per key";
    case "throttle":
      return "When the watermark passes";
    case "table_join":
      return step.params["version"] === "as_of" ? "When the watermark passes" : "";
    default:
      return "";
  }
}

function joinEmission(type: unknown): string {
  if (type === "anti") return "When no match can come";
  if (type === "left" || type === "right" || type === "full") return "On a match, or when none can come";
  return "On a match";
}

/** A fact with all that is known of it. */
export function factText({ label, text, detail }: Fact): string {
  return `${label}: ${text}${detail ? ` (${detail})` : ""}`;
}

/** A node for screen readers: all that is seen in it, as sentences. */
export function spokenText(node: GraphNode, text: NodeText, reads: readonly string[]): string {
  const errors = text.problems.filter(({ severity }) => severity === "error").length;
  const warnings = text.problems.length - errors;
  return [
    `${node.name}, ${text.title}`,
    ...(errors ? [counted(errors, "error")] : []),
    ...(warnings ? [counted(warnings, "warning")] : []),
    ...(reads.length ? [`reads ${reads.join(" and ")}`] : node.inputs.length ? ["reads nothing"] : []),
    ...(text.fields.length ? [counted(text.fields.length, "field")] : []),
    ...(text.facts ?? []).map(factText),
  ].join("; ");
}
