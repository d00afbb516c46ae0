/** Proposals for a join of inputs that have equal names: its key, and a prefix. No React. */

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

/** Fields of the right side that need a prefix, since the left has their names too. */
export function clashingNames(left: readonly SchemaField[], right: readonly SchemaField[]): string[] {
  const taken = new Set(left.map(({ name }) => name));
  return right.map(({ name }) => name).filter((name) => taken.has(name));
}

/**
 * A prefix by the name of the right input, with which no field gets a name that is in use.
 *
 * @param right - what the join reads on its right side: a source, step or step.port
 */
export function proposedPrefix(
  right: string,
  leftFields: readonly SchemaField[],
  rightFields: readonly SchemaField[],
): string {
  const base = right.replaceAll(".", "_");
  const taken = new Set([...leftFields, ...rightFields].map(({ name }) => name));
  const clashes = clashingNames(leftFields, rightFields);
  for (let times = 1; ; times += 1) {
    const prefix = base + "_".repeat(times);
    if (!clashes.some((name) => taken.has(prefix + name))) return prefix;
  }
}
