/** Positions in this browser: of a draft, and those that a viewer gave to a job's nodes. No React. */

import { keep } from "../../drafts/browser-store";
import type { Direction, Position } from "./layout";
import type { Positions, PositionsByDirection } from "./positions";

function keyOf(place: string, direction: Direction): string {
  return `weir.drawing.${place}.${direction}`;
}

/** What is kept under a name; what can't be read counts as none. */
export function readPositions(store: Pick<Storage, "getItem">, place: string): PositionsByDirection {
  return { right: read(store, keyOf(place, "right")), down: read(store, keyOf(place, "down")) };
}

function read(store: Pick<Storage, "getItem">, key: string): Positions {
  try {
    const value: unknown = JSON.parse(store.getItem(key) ?? "{}");
    if (typeof value !== "object" || value === null) return {};
    return Object.fromEntries(
      Object.entries(value).filter((entry): entry is [string, Position] => isPosition(entry[1])),
    );
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

function isPosition(value: unknown): value is Position {
  const { x, y } = (value ?? {}) as Partial<Position>;
  return typeof x === "number" && typeof y === "number";
}

/** Keeps positions under a name; none removes what was kept. */
export function writePositions(
  store: Pick<Storage, "setItem" | "removeItem">,
  place: string,
  positions: PositionsByDirection,
): void {
  for (const direction of ["right", "down"] as const) {
    const text = JSON.stringify(positions[direction]);
    if (text === "{}") store.removeItem(keyOf(place, direction));
    else keep(store, keyOf(place, direction), text);
  }
}
