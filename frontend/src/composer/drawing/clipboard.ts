/** Steps as YAML text: copied out of one document and pasted into another, with their comments. No React. */

import { isMap, isScalar, visit, type Document, type Pair, type YAMLMap } from "yaml";
import { asText } from "../form/values";
import { edited, parseText, plainOf } from "../document-text";
import { freeName, nodeOf, type Outline } from "../outline";
import { inputPorts, outputId } from "./graph";
import { outlineOf } from "./graph-edits";

const SECTIONS = ["sources", "steps", "outputs"] as const;
type Section = (typeof SECTIONS)[number];
type Tree = Parameters<Parameters<typeof edited>[1]>[0];

/**
 * @param ids of the nodes to copy
 * @returns a document that holds these nodes alone; empty if there are none
 */
export function copyNodes(text: string, ids: readonly string[]): string {
  const chosen = new Set(ids);
  const isChosen = (section: Section, name: string) =>
    chosen.has(section === "outputs" ? outputId(name) : name);
  const document = parseText(text);
  if (!isMap(document.contents)) return "";
  const sections = document.contents.items.filter((pair) => isSection(nameOf(pair)));
  for (const { key, value } of sections) {
    const section = nameOf({ key }) as Section;
    if (!isMap(value)) continue;
    giveComment(value);
    value.items = value.items.filter((pair) => isChosen(section, nameOf(pair)));
  }
  document.contents.items = sections.filter(({ value }) => isMap(value) && value.items.length > 0);
  document.contents.commentBefore = null;
  document.commentBefore = null;
  document.comment = null;
  return document.contents.items.length ? layOut(document) : "";
}

/** The comment above the first row is the map's for the parser: it goes with that row. */
function giveComment(rows: YAMLMap): void {
  const first = rows.items[0]?.key;
  if (!rows.commentBefore || !isScalar(first)) return;
  first.commentBefore = rows.commentBefore;
  rows.commentBefore = null;
}

function layOut(document: Document): string {
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}

function isSection(name: string): name is Section {
  return SECTIONS.some((section) => section === name);
}

export interface Pasted {
  text: string;
  /** IDs of the pasted nodes, also of sources that were there already */
  ids: readonly string[];
}

/** Whether a text holds sources, steps or outputs of a job. */
export function isPasteable(fragment: string): boolean {
  const plain = plainOf(fragment);
  return (
    typeof plain === "object" &&
    plain !== null &&
    SECTIONS.some((section) => {
      const rows: unknown = (plain as Record<string, unknown>)[section];
      return (
        typeof rows === "object" && rows !== null && !Array.isArray(rows) && Object.keys(rows).length > 0
      );
    })
  );
}

/**
 * Puts the nodes of a fragment into a document. Names that are taken change, and references with them; a
 * source of the same stream is used as it is, and there stays one live result. References to what is in
 * neither are removed.
 */
export function pasteNodes(text: string, fragment: string): Pasted {
  if (!isPasteable(fragment)) return { text, ids: [] };
  const outline = outlineOf(text);
  const pasted = outlineOf(fragment);
  const names = newNames(outline, pasted);
  const from = parseText(fragment);
  const outputs = newOutputs(outline, pasted);
  const next = edited(text, (document) => {
    for (const [name, to] of names.sources) if (to.isNew) put(document, from, "sources", name, to.name);
    for (const [name, to] of names.steps) put(document, from, "steps", name, to);
    for (const [name, to] of outputs) put(document, from, "outputs", name, to);
    const known = new Set([...outline.sources, ...outline.steps].map((row) => row.name));
    const renamed = (reference: string) => {
      const node = nodeOf(reference);
      const name = names.sources.get(node)?.name ?? names.steps.get(node) ?? (known.has(node) ? node : null);
      return name === null ? "" : name + reference.slice(node.length);
    };
    for (const { name, op } of pasted.steps)
      for (const { name: input } of inputPorts(op))
        rename(document, ["steps", names.steps.get(name) ?? name, input], renamed);
    for (const [, to] of outputs) rename(document, ["outputs", to, "input"], renamed);
  });
  return {
    text: next,
    ids: [
      ...[...names.sources.values()].map(({ name }) => name),
      ...names.steps.values(),
      ...[...outputs.values()].map(outputId),
    ],
  };
}

interface Names {
  sources: ReadonlyMap<string, { name: string; isNew: boolean }>;
  steps: ReadonlyMap<string, string>;
}

function newNames(outline: Outline, pasted: Outline): Names {
  let taken: Outline = outline;
  const take = (base: string) => {
    const name = freeName(taken, base);
    taken = { ...taken, steps: [...taken.steps, { name, op: "", params: {} }] };
    return name;
  };
  const sources = pasted.sources.map((source) => {
    const same = outline.sources.find(
      ({ name, kind, of }) => name === source.name && kind === source.kind && of === source.of,
    );
    return [
      source.name,
      same ? { name: same.name, isNew: false } : { name: take(source.name), isNew: true },
    ] as const;
  });
  return { sources: new Map(sources), steps: new Map(pasted.steps.map(({ name }) => [name, take(name)])) };
}

function newOutputs(outline: Outline, pasted: Outline): ReadonlyMap<string, string> {
  const taken = new Set(outline.outputs.map(({ name }) => name));
  let hasLive = outline.outputs.some(({ topic }) => topic === null);
  const found = new Map<string, string>();
  for (const { name, topic } of pasted.outputs) {
    if (topic === null && hasLive) continue;
    hasLive ||= topic === null;
    let free = name;
    for (let n = 2; taken.has(free); n += 1) free = `${name}_${String(n)}`;
    taken.add(free);
    found.set(name, free);
  }
  return found;
}

/** Moves the pair with its comments, which those with anchors go without: the server refuses anchors. */
function put(document: Tree, from: Document.Parsed, section: Section, name: string, as: string): void {
  const rows: unknown = from.get(section, true);
  if (isMap(rows)) giveComment(rows);
  const pair = isMap(rows) ? rows.items.find((one) => nameOf(one) === name) : undefined;
  if (!pair) return;
  const target = sectionOf(document, section);
  if (hasAnchors(pair)) {
    const value: unknown = (from.toJS() as Record<Section, Record<string, unknown>>)[section][name];
    target.items.push(document.createPair(as, value));
    return;
  }
  if (isScalar(pair.key)) pair.key.value = as;
  target.items.push(pair);
}

function sectionOf(document: Tree, section: Section): YAMLMap {
  const found: unknown = document.get(section, true);
  if (isMap(found)) return found;
  const made = document.createNode({});
  made.flow = false;
  document.set(section, made);
  return made;
}

function hasAnchors(pair: Pair): boolean {
  let found = false;
  visit(pair.value as Parameters<typeof visit>[0], (_, node) => {
    if (typeof node === "object" && node !== null && "anchor" in node && node.anchor) found = true;
  });
  return found;
}

function rename(document: Tree, path: readonly string[], renamed: (reference: string) => string): void {
  const value: unknown = document.getIn(path, true);
  if (isScalar(value)) {
    const next = renamed(asText(value.value));
    if (next) value.value = next;
    else document.deleteIn(path);
    return;
  }
  const list: unknown = document.getIn(path);
  const length =
    typeof list === "object" && list !== null && "items" in list ? (list.items as unknown[]).length : 0;
  for (let at = length - 1; at >= 0; at -= 1) rename(document, [...path, String(at)], renamed);
}

function nameOf({ key }: Pick<Pair, "key">): string {
  return String(isScalar(key) ? key.value : key);
}
