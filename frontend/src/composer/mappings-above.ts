/** What an edit of the form needs above the value that it sets. No React. */

import { isMap, isNode } from "yaml";
import { mapInstead, type edited } from "./document-text";

type Tree = Parameters<Parameters<typeof edited>[1]>[0];

/** Makes a mapping of what stands above a path and is none: a name with nothing behind it, or a text. */
export function makeMappings(tree: Tree, path: readonly string[]): void {
  for (let length = 1; length < path.length; length += 1) {
    const above = path.slice(0, length);
    const node: unknown = tree.getIn(above, true);
    if (isNode(node) && !isMap(node)) tree.setIn(above, mapInstead(tree, node));
  }
}
