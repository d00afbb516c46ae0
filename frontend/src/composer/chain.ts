/** A document as one chain of steps: what the form can show and edit. No React. */

import { edited, parseText } from "./document-text";

export const FORM_OPERATORS = ["filter", "derive", "select", "split", "aggregate"] as const;
export type FormOperator = (typeof FORM_OPERATORS)[number];

export interface ChainStep { name: string; op: FormOperator; input: string; params: Readonly<Record<string, unknown>> }
export interface Chain {
  name: string;
  description: string;
  source: { name: string; stream: string } | null;
  steps: readonly ChainStep[];
  settings: Readonly<Record<string, unknown>>;
}
export type Reading = { chain: Chain } | { unfit: string };

type Values = Record<string, unknown>;

export const EMPTY_DOCUMENT = `format: 1
name: new-job
sources: {}
steps: {}
outputs: {}
settings: {mode: auto, engine: shared}
`;

function record(value: unknown): Values {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Values) : {};
}

function text(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

function isFormOperator(op: string): op is FormOperator {
  return (FORM_OPERATORS as readonly string[]).includes(op);
}

/** The chain of a document, or why the form cannot show it. */
export function readChain(source: string): Reading {
  const document = parseText(source);
  if (document.errors.length) return { unfit: "The text is not YAML at the moment. Mend it in the text view; the form comes back by itself." };
  const root = record(document.toJS());
  const sources = Object.entries(record(root["sources"]));
  if (sources.length > 1) return { unfit: `The document reads ${String(sources.length)} sources. The form shows one chain from one source; this one is edited as text.` };
  const first = sources[0];
  const ordered = first ? order(record(root["steps"]), first[0]) : [];
  if (typeof ordered === "string") return { unfit: ordered };
  return {
    chain: {
      name: text(root["name"]),
      description: text(root["description"]),
      source: first ? { name: first[0], stream: text(record(first[1])["stream"]) } : null,
      steps: ordered,
      settings: record(root["settings"]),
    },
  };
}

function order(steps: Values, source: string): ChainStep[] | string {
  const left = new Map(Object.entries(steps).map(([name, value]) => [name, record(value)]));
  const chain: ChainStep[] = [];
  let at = source;
  while (left.size) {
    const next = [...left].filter(([, { input }]) => input === at);
    if (next.length > 1) return `Two steps read “${at}”. The form shows one chain; this document is edited as text.`;
    const found = next[0];
    if (!found) return `The step “${[...left.keys()][0] ?? ""}” is not part of the chain that begins at “${source}”. Mend its input in the text view.`;
    const [name, { op, input, ...params }] = found;
    if (!isFormOperator(text(op))) return `The step “${name}” uses “${text(op) || "no operator"}”, which the form does not know. It is edited as text.`;
    chain.push({ name, op: text(op) as FormOperator, input: text(input), params });
    left.delete(name);
    at = name;
  }
  return chain;
}

export function setHead(source: string, field: "name" | "description", value: string): string {
  return edited(source, (document) => {
    if (field === "description" && !value) document.delete(field);
    else document.set(field, value);
  });
}

export function setSetting(source: string, name: string, value: string): string {
  return edited(source, (document) => { document.setIn(["settings", name], value); });
}

/** Reads another stream; a first step that read the old source reads the new one. */
export function setStream(source: string, chain: Chain, stream: string): string {
  const before = chain.source?.name;
  return edited(source, (document) => {
    if (before) document.deleteIn(["sources", before]);
    document.setIn(["sources", stream], document.createNode({ stream }, { flow: true }));
    const first = chain.steps[0];
    if (first) document.setIn(["steps", first.name, "input"], stream);
    else document.setIn(["outputs", "live"], document.createNode({ input: stream, to: "result" }, { flow: true }));
  });
}

export const FRESH: Readonly<Record<FormOperator, Values>> = {
  filter: { where: "" },
  derive: { fields: {} },
  select: { fields: [] },
  split: { field: "", as: "word", by: "words", lower: true },
  aggregate: { window: { tumbling: { size: "1m" } }, by: [], measures: { count: "count()" } },
};

export function freeName(chain: Chain, op: string): string {
  const taken = new Set([chain.source?.name, ...chain.steps.map(({ name }) => name)]);
  for (let n = 1; ; n += 1) {
    const name = n === 1 ? op : `${op}_${String(n)}`;
    if (!taken.has(name)) return name;
  }
}

/** Adds a step at the chain's end. */
export function addStep(source: string, chain: Chain, op: FormOperator): string {
  const name = freeName(chain, op);
  const input = chain.steps.at(-1)?.name ?? chain.source?.name ?? "";
  return edited(source, (document) => {
    document.setIn(["steps", name], document.createNode({ op, input, ...FRESH[op] }));
    point(document, name);
  });
}

export function removeStep(source: string, chain: Chain, name: string): string {
  const at = chain.steps.findIndex((step) => step.name === name);
  const step = chain.steps[at];
  if (!step) return source;
  const next = chain.steps[at + 1];
  return edited(source, (document) => {
    document.deleteIn(["steps", name]);
    if (next) document.setIn(["steps", next.name, "input"], step.input);
    else point(document, step.input);
  });
}

type Tree = Parameters<Parameters<typeof edited>[1]>[0];

function point(document: Tree, input: string): void {
  const outputs = Object.keys(record(record(document.toJS())["outputs"]));
  const output = outputs[0];
  if (output === undefined) document.setIn(["outputs", "live"], document.createNode({ input, to: "result" }, { flow: true }));
  else document.setIn(["outputs", output, "input"], input);
}

/** Sets a parameter of a step; undefined takes it out. Short lists stay on one line. */
export function setParameter(source: string, step: string, path: readonly string[], value: unknown): string {
  return edited(source, (document) => {
    const place = ["steps", step, ...path];
    if (value === undefined) document.deleteIn(place);
    else document.setIn(place, typeof value === "object" ? document.createNode(value, { flow: Array.isArray(value) || path[0] === "window" }) : value);
  });
}
