/** Writes a document into a document's text by the smallest edits: comments and layout stay. No React. */

import { isMap, isNode, isScalar, isSeq, type Pair, type Scalar, type YAMLMap, type YAMLSeq } from "yaml";
import { jsonText } from "../api/big-integers";
import { edited, plainOf } from "./document-text";
import { removeEntry } from "./entry-comments";

export type PlainDocument = Readonly<Record<string, unknown>>;
type Tree = Parameters<Parameters<typeof edited>[1]>[0];
type Path = readonly string[];

/**
 * The text that says `next`. What `next` has in common with `base`, which says the same as the text in other
 * words (60s or 1m), keeps its words. Without a base all that differs is written anew, and so is a text that
 * can't be read or is no mapping.
 */
export function mergeDocument(text: string, next: PlainDocument, base: PlainDocument | null = null): string {
  const said = plainOf(text);
  if (same(said, next) || (base !== null && same(base, next))) return text;
  const merge = new Merge();
  const result = edited(isPlain(said) || said === null ? text : "", (tree) => {
    if (!isMap(tree.contents)) {
      merge.changed = true;
      tree.set("format", next["format"]); // makes the root a map
    }
    if (isMap(tree.contents)) merge.map(tree, tree.contents, next, base, []);
  });
  return merge.changed ? result : text;
}

/**
 * Puts a value of the form at a path within a step or an output. What of it is there already keeps its
 * comments, also under another name; what isn't said any more goes.
 */
export function putValue(tree: Tree, path: Path, next: unknown): void {
  const node: unknown = tree.getIn(path, true);
  if (isMap(node) && node.items.length > 0 && isPlain(next)) {
    renameOne(node, next);
    // What stands above the first entry is kept with the map, and goes with the entry.
    if (node.items[0] && !Object.hasOwn(next, nameOf(node.items[0]))) node.commentBefore = null;
    new Merge().map(tree, node, next, null, path);
  } else if (isSeq(node) && node.items.length > 0 && Array.isArray(next)) new Merge().list(tree, node, next);
  else if (isScalar(node) && typeof next !== "object") say(node, next);
  else tree.setIn(path, typeof next === "object" ? fresh(tree, next, path) : next);
}

function say(node: Scalar, next: unknown): void {
  if (node.value === "") delete node.type; // its quotes
  node.value = next;
}

/** The only entry that is gone got the only name that is new: the form changes one at a time. */
function renameOne(map: YAMLMap, next: PlainDocument): void {
  const gone = map.items.filter((pair) => !Object.hasOwn(next, nameOf(pair)));
  const added = Object.keys(next).filter((name) => !map.items.some((pair) => nameOf(pair) === name));
  const key = gone.length === 1 && added.length === 1 ? gone[0]?.key : undefined;
  if (isScalar(key) && isScalar(gone[0]?.value)) key.value = added[0];
}

class Merge {
  /** false: the text says it already, in another order of what has no order */
  changed = false;

  map(tree: Tree, map: YAMLMap, next: PlainDocument, base: PlainDocument | null, path: Path): void {
    // Another operator reads none of the parameters of the one before.
    const common = path[0] === "steps" && path.length === 2 && base?.["op"] !== next["op"] ? null : base;
    if (path.length === 1) this.rename(map, next, common);
    this.remove(map, next, common, path);
    for (const [name, value] of Object.entries(next)) {
      const below = [...path, name];
      const pair = map.items.find((one) => nameOf(one) === name);
      if (!pair) {
        map.items.push(tree.createPair(name, fresh(tree, value, below)));
        this.changed = true;
      } else if (!(common && Object.hasOwn(common, name) && same(common[name], value)))
        this.value(tree, pair, value, common?.[name], below);
    }
    if (isOrdered(path)) this.order(map, Object.keys(next));
  }

  private value(tree: Tree, pair: Pair, next: unknown, base: unknown, path: Path): void {
    const node = pair.value;
    if (isMap(node) && isPlain(next)) this.map(tree, node, next, asPlain(base), path);
    else if (isSeq(node) && Array.isArray(next)) this.list(tree, node, next);
    else if (isScalar(node) && (typeof next !== "object" || next === null)) {
      if (said(node.value) === said(next)) return;
      say(node, next);
      this.changed = true;
    } else {
      pair.value = fresh(tree, next, path);
      this.changed = true;
    }
  }

  list(tree: Tree, list: YAMLSeq, next: readonly unknown[]): void {
    if (same(list.toJS(tree), next)) return;
    const left = [...list.items];
    list.items = next.map((value) => {
      const at = left.findIndex((item) => same(isScalar(item) ? item.value : item, value));
      return at < 0 ? tree.createNode(value) : left.splice(at, 1)[0];
    });
    this.changed = true;
  }

  /** What has only another name keeps its comments and its place. */
  private rename(map: YAMLMap, next: PlainDocument, base: PlainDocument | null): void {
    const gone = map.items.filter((pair) => !Object.hasOwn(next, nameOf(pair)));
    const added = Object.keys(next).filter((name) => !map.items.some((pair) => nameOf(pair) === name));
    for (const name of added) {
      const at = gone.findIndex((pair) => same(base?.[nameOf(pair)], next[name]));
      const [pair] = at < 0 ? [] : gone.splice(at, 1);
      if (!pair || !isScalar(pair.key)) continue;
      pair.key.value = name;
      this.changed = true;
    }
  }

  private remove(map: YAMLMap, next: PlainDocument, base: PlainDocument | null, path: Path): void {
    const stays = (pair: Pair) =>
      Object.hasOwn(next, nameOf(pair)) ||
      (path.length < 3 && isMap(pair.value) && !pair.value.items.length) || // says as much as none
      // Nothing that SQL knows, or a node that another view added meanwhile.
      (path.length <= 1 && base !== null && !Object.hasOwn(base, nameOf(pair)));
    const gone = map.items.filter((pair) => !stays(pair));
    if (!gone.length) return;
    // A comment is about its source or step, and goes with that; another view may have left it at any entry.
    if (path.length > 1 && base !== null) for (const pair of gone) removeEntry(map, pair);
    else map.items = map.items.filter(stays);
    this.changed = true;
  }

  private order(map: YAMLMap, names: readonly string[]): void {
    const place = (pair: Pair) => names.indexOf(nameOf(pair));
    const sorted = [...map.items].sort((a, b) => place(a) - place(b));
    if (sorted.every((pair, index) => pair === map.items[index])) return;
    const first = map.items[0]?.key; // its comment is the map's until something else comes first
    if (isNode(first) && map.commentBefore) {
      first.commentBefore = map.commentBefore;
      map.commentBefore = null;
    }
    map.items = sorted;
    this.changed = true;
  }
}

/** Groups, measures, fields: their order is that of the columns. Parameters and sections have none. */
function isOrdered([section, , parameter]: Path): boolean {
  return section === "steps" && parameter !== undefined && parameter !== "window" && parameter !== "between";
}

const FLOW: ReadonlySet<string> = new Set(["window", "between", "on"]);

/** A new value, laid out as the form does: a line for each parameter, short ones in braces. */
function fresh(tree: Tree, value: unknown, path: Path): unknown {
  if (!isPlain(value)) return tree.createNode(value, { flow: true });
  const [section = "", name, parameter] = path;
  const inBraces =
    section === "steps" ? FLOW.has(parameter ?? "") : name !== undefined || section === "settings";
  if (inBraces) return tree.createNode(value, { flow: true });
  const map = tree.createNode({});
  map.flow = false;
  map.items = Object.entries(value).map(([key, one]) =>
    tree.createPair(key, fresh(tree, one, [...path, key])),
  );
  return map;
}

export function nameOf({ key }: Pair): string {
  return String(isScalar(key) ? key.value : key);
}

function isPlain(value: unknown): value is PlainDocument {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function asPlain(value: unknown): PlainDocument | null {
  return isPlain(value) ? value : null;
}

/** A text in block style ends with a line break that an expression doesn't have; large numbers are texts. */
function said(value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  return typeof value === "string" ? value.replace(/\n$/, "") : value;
}

/** Equal, order of keys included. */
export function same(a: unknown, b: unknown): boolean {
  return jsonText(a) === jsonText(b);
}

/** True if two texts say the same; of a text that can't be read only the text itself does. */
export function saySame(a: string, b: string): boolean {
  if (a === b) return true;
  const said = plainOf(a);
  return said !== undefined && same(said, plainOf(b));
}
