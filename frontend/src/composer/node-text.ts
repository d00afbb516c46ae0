/** What a check says of a step, in words. No React. */

import type { CheckedNode } from "../api/types";
import { duration, parseDuration } from "../ui/format/durations";

const ROW_FIELDS: Readonly<Record<string, string>> = { _source: "source", _partition: "partition", _offset: "offset" };

/** Whether rows are facts or replace each other, and by what they are told apart. */
export function keyText({ kind, identity, identity_kind }: Pick<CheckedNode, "kind" | "identity" | "identity_kind">): string {
  const key = identity.map((part) => ROW_FIELDS[part] ?? part).join(", ");
  if (identity_kind !== "key") return `${kind === "append" ? "only added" : "newer ones replace older ones"}; told apart by ${key}`;
  if (kind === "upsert") return `${key ? `one for each ${key}` : "one in all"}; a newer one replaces the older`;
  return key ? `only added, one for each ${key}` : "only added";
}

/** How far rows of a node trail the watermark; nothing when they do not. */
export function slackText({ watermark_slack }: Pick<CheckedNode, "watermark_slack">): string | null {
  const length = parseDuration(watermark_slack);
  return length ? `${duration(length)} of event time behind the watermark` : null;
}

/** What moves event time at a node, a sentence for each query; none where nothing does. */
export function watermarkText({ watermarks }: Pick<CheckedNode, "watermarks">): string[] {
  const said = watermarks.map(({ delays, policy }) => {
    const waits = Object.entries(delays).map(([source, delay]) => `${source} waits ${duration(parseDuration(delay))}`);
    const which = waits.length > 1 ? `the ${policy === "min" ? "slowest" : "fastest"} of: ` : "";
    return waits.length ? which + waits.join(", ") : "";
  });
  return [...new Set(said.filter(Boolean))];
}

/** What a step keeps, and why that ends or does not. */
export function stateText({ bound, why }: CheckedNode["state"]): string {
  return bound === "none" ? "nothing: each row is done with once it has passed" : why;
}
