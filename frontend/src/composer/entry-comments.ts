/** Comments of a map's entries, which outlive what they stand beside. No React. */

import { isNode, type Pair, type YAMLMap } from "yaml";

/** Removes an entry; its comments then stand on lines of their own in its place. */
export function removeEntry(map: YAMLMap, pair: Pair): void {
  const at = map.items.indexOf(pair);
  if (at < 0) return;
  map.items.splice(at, 1);
  const next = map.items[at]?.key;
  if (isNode(next)) next.commentBefore = joined([...commentsOf(pair), next.commentBefore]);
  else map.comment = joined([...commentsOf(pair), map.comment]);
}

function commentsOf({ key, value }: Pair): (string | null | undefined)[] {
  return [key, value].flatMap((node) => (isNode(node) ? [node.commentBefore, node.comment] : []));
}

function joined(comments: readonly (string | null | undefined)[]): string | null {
  return comments.filter(Boolean).join("\n") || null;
}
