/** What a check says of a step, in words. No React. */

import type { CheckedNode } from "../api/types";
import { duration, parseDuration } from "../ui/format/durations";

/** Whether rows are facts or replace each other, and by what they are told apart. */
export function keyWords({ kind, identity }: Pick<CheckedNode, "kind" | "identity">): string {
  const key = identity?.join(", ");
  if (kind === "upsert") return key ? `one for each ${key}; a newer one replaces the older` : "one in all; a newer one replaces the older";
  return key ? `only added, one for each ${key}` : "only added, each told apart by where it was read";
}

/** How far rows of a node trail the watermark; nothing when they do not. */
export function lagWords({ lag }: Pick<CheckedNode, "lag">): string | null {
  const length = parseDuration(lag);
  return length ? `${duration(length)} of event time behind the watermark` : null;
}

/** What a step keeps, and why that ends or does not. */
export function stateWords({ bound, why }: CheckedNode["state"]): string {
  return bound === "none" ? "nothing: each row is done with once it has passed" : why;
}
