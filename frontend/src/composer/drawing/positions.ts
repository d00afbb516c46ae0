/** Positions that a person gave to nodes. They belong to the job, not to its document. No React. */

import type { Graph } from "./graph";
import type { Direction, Position } from "./layout";

export type Positions = Readonly<Record<string, Position>>;

const EMPTY: Positions = {};

function keyOf(job: string, direction: Direction): string {
  return `weir.drawing.${job}.${direction}`;
}

/** The positions of a job in this browser; what can't be read counts as none. */
export function readPositions(store: Pick<Storage, "getItem">, job: string, direction: Direction): Positions {
  try {
    const value: unknown = JSON.parse(store.getItem(keyOf(job, direction)) ?? "{}");
    if (typeof value !== "object" || value === null) return EMPTY;
    return Object.fromEntries(
      Object.entries(value).filter((entry): entry is [string, Position] => isPosition(entry[1])),
    );
  } catch (error) {
    if (error instanceof SyntaxError) return EMPTY;
    throw error;
  }
}

function isPosition(value: unknown): value is Position {
  const { x, y } = (value ?? {}) as Partial<Position>;
  return typeof x === "number" && typeof y === "number";
}

/** Keeps the positions of a job in this browser; none removes them. */
export function writePositions(
  store: Pick<Storage, "setItem" | "removeItem">,
  job: string,
  direction: Direction,
  positions: Positions,
): void {
  if (Object.keys(positions).length) store.setItem(keyOf(job, direction), JSON.stringify(positions));
  else store.removeItem(keyOf(job, direction));
}

/** Gives the positions of a draft to the job that was created from it. */
export function handOver(store: Storage, draft: string, job: string): void {
  for (const direction of ["right", "down"] as const) {
    writePositions(store, job, direction, readPositions(store, draft, direction));
    store.removeItem(keyOf(draft, direction));
  }
}

/** Forgets the positions of a draft. */
export function forgetPositions(store: Storage, draft: string): void {
  for (const direction of ["right", "down"] as const) store.removeItem(keyOf(draft, direction));
}

/**
 * The new name of the node that was renamed between two graphs, by its old one: the only node that is gone
 * and the only one that came, of the same kind and operator. Empty if there is none.
 */
export function renamedNodes(before: Graph, after: Graph): ReadonlyMap<string, string> {
  const gone = before.nodes.filter(({ id }) => !after.nodes.some((node) => node.id === id));
  const came = after.nodes.filter(({ id }) => !before.nodes.some((node) => node.id === id));
  const [old] = gone;
  const [next] = came;
  const isOne = gone.length === 1 && came.length === 1;
  return new Map(
    isOne && old && next && old.kind === next.kind && old.op === next.op ? [[old.id, next.id]] : [],
  );
}
