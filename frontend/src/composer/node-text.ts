/** What a check says of a step, in words. No React. */

import type { CheckedNode } from "../api/types";
import { duration, parseDuration } from "../ui/format/durations";

const ROW_FIELDS: Readonly<Record<string, string>> = {
  _source: "source",
  _partition: "partition",
  _offset: "offset",
};

/** Whether a node only adds rows or also replaces them, and the fields that identify a row. */
export function keyText({ kind, identity }: Pick<CheckedNode, "kind" | "identity">): string {
  const key = identityText({ identity });
  if (kind === "upsert") return key ? `Upsert, key: ${key}` : "Upsert, single row";
  return key ? `Append-only, key: ${key}` : "Append-only";
}

/** The fields that identify a row; empty for a single row, or where a row has no identity. */
export function identityText({ identity }: Pick<CheckedNode, "identity">): string {
  return identity.map((part) => ROW_FIELDS[part] ?? part).join(", ");
}

/** How far rows of a node may trail the watermark; null when they do not. */
export function slackText({ watermark_slack }: Pick<CheckedNode, "watermark_slack">): string | null {
  const length = parseDuration(watermark_slack);
  return length ? duration(length) : null;
}

/** The sources behind each watermark of a node, with their delays; empty where it has none. */
export function watermarkText({ watermarks }: Pick<CheckedNode, "watermarks">): string[] {
  const texts = watermarks.map(({ delays, policy }) => {
    const waits = Object.entries(delays).map(
      ([source, delay]) => `${source} − ${duration(parseDuration(delay))}`,
    );
    const which = waits.length > 1 ? `${policy} of ` : "";
    return waits.length ? which + waits.join(", ") : "";
  });
  return [...new Set(texts.filter(Boolean))];
}

/** Why the state of a step is bounded or not. */
export function stateText({ bound, why }: CheckedNode["state"]): string {
  return bound === "none" ? "Stateless" : why;
}
