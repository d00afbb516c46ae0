/** Proposals for the key of a join. No React. */

import type { SchemaField } from "../api/types";

/** Fields that both sides have under one name and with one type, and that no pair uses yet. */
export function equalNames(
  left: readonly SchemaField[],
  right: readonly SchemaField[],
  pairs: readonly (readonly [string, string])[],
): string[] {
  const types = new Map(right.map(({ name, type }) => [name, type]));
  return left
    .filter(({ name, type }) => types.get(name) === type && !pairs.some((pair) => pair.includes(name)))
    .map(({ name }) => name);
}
