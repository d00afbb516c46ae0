/** Values that go and come again, as a field is emptied and filled: their comments stay. No React. */

import { isMap, isNode } from "yaml";
import { nameOf, putValue } from "./document-merge";
import type { edited } from "./document-text";
import { removeEntry } from "./entry-comments";
import { makeMappings } from "./mappings-above";

type Tree = Parameters<Parameters<typeof edited>[1]>[0];
type Path = readonly string[];

/** Removes a value of a map; its comments then stand on lines of their own in its place. */
export function removeValue(tree: Tree, path: Path): void {
  const owner: unknown = tree.getIn(path.slice(0, -1), true);
  if (!isMap(owner)) return;
  const pair = owner.items.find((one) => nameOf(one) === path.at(-1));
  if (pair) removeEntry(owner, pair);
}

/** Puts a value of the form; one that is new stands below the comments that end its map. */
export function setValue(tree: Tree, path: Path, value: unknown): void {
  makeMappings(tree, path);
  const owner: unknown = tree.getIn(path.slice(0, -1), true);
  const isNew = isMap(owner) && !owner.has(path.at(-1));
  putValue(tree, path, value);
  const pair = isNew ? owner.items.at(-1) : undefined;
  if (!isMap(owner) || !pair || !owner.comment) return;
  const key = isNode(pair.key) ? pair.key : tree.createNode(pair.key);
  key.commentBefore = owner.comment;
  pair.key = key;
  owner.comment = null;
}
