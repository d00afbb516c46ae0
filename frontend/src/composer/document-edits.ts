/** What the form changes in a document's text, which keeps its comments and its layout. No React. */

import { isMap, isScalar, type YAMLMap } from "yaml";
import { nameOf, putValue } from "./document-merge";
import { edited } from "./document-text";
import type { Operator } from "./operator-fields";
import { asText } from "./form/values";
import { removeValue, setValue } from "./kept-comments";
import { makeMappings } from "./mappings-above";
import { OPERATORS } from "./operators";
import {
  freeName,
  inputsOf,
  latePort,
  nodeOf,
  type Outline,
  type OutputRow,
  type SourceRow,
} from "./outline";

type Values = Record<string, unknown>;
type Tree = Parameters<Parameters<typeof edited>[1]>[0];

export function setHead(source: string, field: "name" | "description", value: string): string {
  return edited(source, (document) => {
    if (field === "description" && !value) removeValue(document, [field]);
    else setValue(document, [field], value);
  });
}

/** Sets a setting of the job; undefined removes it. */
export function setSetting(
  source: string,
  name: string,
  value: string | number | boolean | undefined,
): string {
  return edited(source, (document) => {
    if (value === undefined) removeValue(document, ["settings", name]);
    else setValue(document, ["settings", name], value);
  });
}

function flow(document: Tree, value: unknown): unknown {
  return document.createNode(value, { flow: true });
}

/** Adds a source; the first one becomes the live result until there are steps. */
export function addSource(source: string, outline: Outline, kind: SourceRow["kind"], of: string): string {
  const name = freeName(outline, of.replace(/[^A-Za-z0-9_]/g, "_").replace(/^[^A-Za-z]+/, "") || kind);
  return edited(source, (document) => {
    document.setIn(["sources", name], flow(document, { [kind]: of }));
    if (!outline.outputs.length)
      document.setIn(["outputs", "live"], flow(document, { input: name, to: "result" }));
  });
}

/** Replaces the stream or table of a source, which keeps its name. */
export function setSource(source: string, name: string, kind: SourceRow["kind"], of: string): string {
  return edited(source, (document) => {
    const owner: unknown = document.getIn(["sources", name], true);
    const other = kind === "stream" ? "table" : "stream";
    const pair = isMap(owner) ? owner.items.find((one) => nameOf(one) === other) : undefined;
    if (isScalar(pair?.key)) pair.key.value = kind;
    makeMappings(document, ["sources", name, kind]);
    document.setIn(["sources", name, kind], of);
  });
}

export function removeSource(source: string, name: string): string {
  return edited(source, (document) => {
    document.deleteIn(["sources", name]);
  });
}

/** Sets the watermark delay of a source; empty for the stream's own. */
export function setDelay(source: string, name: string, delay: string): string {
  return edited(source, (document) => {
    if (delay) setValue(document, ["sources", name, "delay"], delay);
    else removeValue(document, ["sources", name, "delay"]);
  });
}

/** Adds a step after the input of the live result, and makes it the live result. */
export function addStep(source: string, outline: Outline, op: string, operator: Operator): string {
  const name = freeName(outline, op);
  const live = outline.outputs.find(({ topic }) => topic === null);
  const input = live?.input ?? outline.steps.at(-1)?.name ?? outline.sources[0]?.name ?? "";
  const second = [...outline.sources].reverse().find((row) => row.name !== nodeOf(input))?.name ?? "";
  return edited(source, (document) => {
    const inputs = Object.fromEntries(
      operator.inputs.map((parameter, index) => [
        parameter,
        parameter === "inputs" ? [input, second].filter(Boolean) : index ? second : input,
      ]),
    );
    document.setIn(["steps", name], document.createNode({ op, ...inputs, ...operator.fresh }));
    if (live) setReference(document, ["outputs", live.name, "input"], name);
    else document.setIn(["outputs", freeLive(outline)], flow(document, { input: name, to: "result" }));
  });
}

/** A name for the live result that no output has. */
export function freeLive(outline: Outline): string {
  const names = new Set(outline.outputs.map((row) => row.name));
  const numbered = Array.from({ length: names.size + 1 }, (_, at) => `live_${String(at + 2)}`);
  return ["live", "result", ...numbered].find((name) => !names.has(name)) ?? "live";
}

/** Removes a step: its readers get its first input instead, and outputs of its late rows are removed. */
export function removeStep(source: string, outline: Outline, name: string): string {
  const step = outline.steps.find((row) => row.name === name);
  if (!step) return source;
  const replacement = inputsOf(step)[0] ?? "";
  return edited(source, (document) => {
    document.deleteIn(["steps", name]);
    const isLate = ({ input }: OutputRow) => input === latePort(name);
    for (const output of outline.outputs.filter(isLate)) document.deleteIn(["outputs", output.name]);
    const rest = {
      ...outline,
      steps: outline.steps.filter((row) => row.name !== name),
      outputs: outline.outputs.filter((row) => !isLate(row)),
    };
    replaceReferences(document, rest, (reference) => (nodeOf(reference) === name ? replacement : reference));
  });
}

/** Renames a step and all references to it. The name must be free. */
export function renameStep(source: string, outline: Outline, name: string, next: string): string {
  return edited(source, (document) => {
    const steps: unknown = document.get("steps", true);
    const pair = isMap(steps)
      ? steps.items.find(({ key }) => isScalar(key) && String(key.value) === name)
      : undefined;
    if (!pair || !isScalar(pair.key)) return;
    replaceReferences(document, outline, (reference) =>
      nodeOf(reference) === name ? next + reference.slice(name.length) : reference,
    );
    pair.key.value = next;
  });
}

/** Maps every reference in steps and outputs; an empty one is removed, and a list gets none twice. */
function replaceReferences(document: Tree, outline: Outline, other: (reference: string) => string): void {
  const change = (path: readonly string[], now: string) => {
    if (other(now) !== now) setReference(document, path, other(now));
  };
  for (const { name, op, params } of outline.steps) {
    for (const parameter of OPERATORS[op]?.inputs ?? ["input"]) {
      const value = params[parameter];
      if (Array.isArray(value)) replaceInList(document, ["steps", name, parameter], value.map(asText), other);
      else change(["steps", name, parameter], asText(value));
    }
  }
  for (const { name, input } of outline.outputs) change(["outputs", name, "input"], input);
}

function replaceInList(
  document: Tree,
  path: readonly string[],
  now: readonly string[],
  other: (reference: string) => string,
): void {
  if (now.every((one) => other(one) === one)) return;
  const next = now.map(other);
  for (let at = next.length - 1; at >= 0; at -= 1) {
    const reference = next[at] ?? "";
    if (!reference || next.indexOf(reference) < at) document.deleteIn([...path, String(at)]);
    else if (reference !== now[at]) document.setIn([...path, String(at)], reference);
  }
}

/** Sets the reference at a path: after the operator if it is new; an empty one is removed. */
export function setReference(document: Tree, path: readonly string[], reference: string): void {
  if (!reference) {
    removeValue(document, path);
    return;
  }
  makeMappings(document, path);
  const owner: unknown = document.getIn(path.slice(0, -1), true);
  const name = path.at(-1) ?? "";
  if (!isMap(owner) || owner.has(name)) document.setIn(path, reference);
  else owner.items.splice(placeOfInput(owner, name), 0, document.createPair(name, reference));
}

/** Inputs stand after the operator, in its order. */
function placeOfInput(owner: YAMLMap, name: string): number {
  const inputs = OPERATORS[asText(owner.get("op"))]?.inputs ?? [];
  const before = ["op", ...inputs.slice(0, Math.max(inputs.indexOf(name), 0))];
  return owner.items.findLastIndex(({ key }) => isScalar(key) && before.includes(String(key.value))) + 1;
}

/** Sets a parameter of a step; undefined removes it. Short lists stay on one line. */
export function setParameter(source: string, step: string, path: readonly string[], value: unknown): string {
  return edited(source, (document) => {
    const target = ["steps", step, ...path];
    if (value === undefined) removeValue(document, target);
    else setValue(document, target, value);
  });
}

/**
 * Keeps or drops the late rows of a step. Kept rows need an output, so one is added without a topic; dropping
 * them removes the outputs that read them.
 */
export function setLate(source: string, outline: Outline, step: string, kept: boolean): string {
  const port = latePort(step);
  const readers = outline.outputs.filter(({ input }) => input === port);
  const changed = setParameter(source, step, ["late"], kept ? "dead_letter" : undefined);
  if (!kept) return readers.reduce((text, { name }) => removeOutput(text, name), changed);
  const read = readers.length || outline.steps.some((one) => inputsOf(one).includes(port));
  return read ? changed : addTopicOutput(changed, outline, port);
}

/** Sets what the form knows of an output; what else it says stays. */
export function setOutput(source: string, name: string, row: Omit<OutputRow, "name">): string {
  const path = ["outputs", name];
  return edited(source, (document) => {
    const to: unknown = document.getIn([...path, "to"], true);
    const target = row.topic === null ? "result" : targetOf(row, row.topic);
    if (!isMap(document.getIn(path, true)))
      document.setIn(path, flow(document, { input: row.input, to: target }));
    else {
      if (row.input) setReference(document, [...path, "input"], row.input);
      else if (document.hasIn([...path, "input"])) document.setIn([...path, "input"], "");
      if (!isMap(to) || typeof target === "string") document.setIn([...path, "to"], flow(document, target));
      else for (const part of TARGET) setPart(document, to, [...path, "to", part], target[part]);
    }
  });
}

const TARGET = ["topic", "format", "names"] as const;

function setPart(document: Tree, to: YAMLMap, path: readonly string[], value: unknown): void {
  const isFormat = path.at(-1) === "format";
  if (value === undefined) {
    if (!isFormat || document.getIn(path) === "avro") removeValue(document, path);
  } else if (isFormat && !to.has("format")) to.items.splice(1, 0, document.createPair("format", value));
  else putValue(document, path, value);
}

function targetOf({ format, names }: Omit<OutputRow, "name">, topic: string): Values {
  const written = Object.entries(names).map(([field, path]) => [field, path.length === 1 ? path[0] : path]);
  return {
    topic,
    ...(format === "avro" && { format }),
    ...(written.length > 0 && { names: Object.fromEntries(written) as Values }),
  };
}

/** Adds a topic output; its input is that of the first output by default. */
export function addTopicOutput(
  source: string,
  outline: Outline,
  input = outline.outputs[0]?.input ?? "",
): string {
  const names = new Set(outline.outputs.map(({ name }) => name));
  let n = 1;
  while (names.has(`topic_${String(n)}`)) n += 1;
  return setOutput(source, `topic_${String(n)}`, { input, topic: "", format: "json", names: {} });
}

export function removeOutput(source: string, name: string): string {
  return edited(source, (document) => {
    document.deleteIn(["outputs", name]);
  });
}
