/** Moving between nodes by arrow keys: the nearest one that lies in the direction of the key. No React. */

import type { Position, Size } from "./layout";

export type Arrow = "ArrowLeft" | "ArrowRight" | "ArrowUp" | "ArrowDown";
export interface Place extends Position, Size {
  id: string;
}

const WAYS: Readonly<Record<Arrow, readonly [x: number, y: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};
/** What lies aside counts as this much farther away. */
const ASIDE = 2;

export function isArrow(key: string): key is Arrow {
  return key in WAYS;
}

/** @returns the ID of the nearest node in that direction; null if there is none */
export function neighbour(places: readonly Place[], from: string, arrow: Arrow): string | null {
  const start = places.find(({ id }) => id === from);
  if (!start) return places[0]?.id ?? null;
  const [x, y] = WAYS[arrow];
  let best: { id: string; distance: number } | null = null;
  for (const place of places) {
    const dx = middle(place.x, place.width) - middle(start.x, start.width);
    const dy = middle(place.y, place.height) - middle(start.y, start.height);
    const ahead = dx * x + dy * y;
    if (place.id === from || ahead <= 1) continue;
    const distance = ahead + ASIDE * Math.abs(dx * y + dy * x);
    if (!best || distance < best.distance) best = { id: place.id, distance };
  }
  return best?.id ?? null;
}

function middle(start: number, length: number): number {
  return start + length / 2;
}
