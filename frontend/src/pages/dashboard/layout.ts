/** Places of panels on the grid: without overlaps, as far up as they go. No React. */

import type { Panel } from "../../api/types";

export const COLUMNS = 12;
export const ROW_PX = 36;
export const GAP_PX = 12;
/** With more panels, charts are drawn four times a second instead of ten. */
export const CROWD = 8;
const MAX_ROWS = 40;
const MIN_WIDTH = 2;
const MIN_HEIGHT = 2;

export type Position = Panel["position"];

function overlap(a: Position, b: Position): boolean {
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}

/** In the order in which they are read: by row, then column. */
export function inOrder<P extends { position: Position }>(panels: readonly P[]): P[] {
  return [...panels].sort((a, b) => a.position.y - b.position.y || a.position.x - b.position.x);
}

/**
 * Each panel as far up as it goes without overlapping one before it.
 *
 * @param first ID of the panel that keeps its row where two want the same; null: the upper one
 */
export function settle(panels: readonly Panel[], first: string | null = null): Panel[] {
  const placed: Panel[] = [];
  const waiting = inOrder(panels).sort((a, b) => rank(a, first) - rank(b, first));
  for (const panel of waiting) {
    let position = panel.position;
    while (placed.some((other) => overlap(position, other.position)))
      position = { ...position, y: position.y + 1 };
    placed.push({ ...panel, position });
  }
  const settled: Panel[] = [];
  for (const panel of inOrder(placed)) {
    let position = panel.position;
    for (;;) {
      const above = { ...position, y: position.y - 1 };
      if (above.y < 0 || settled.some((other) => overlap(above, other.position))) break;
      position = above;
    }
    settled.push({ ...panel, position });
  }
  return settled;
}

function rank(panel: Panel, first: string | null): number {
  return panel.id === first ? -1 : 0;
}

export interface Step {
  x?: number;
  y?: number;
  w?: number;
  h?: number;
}

/** The panels after one is moved or resized by so many cells; at the grid's edge it stays. */
export function nudge(panels: readonly Panel[], id: string, step: Step): Panel[] {
  const moved = panels.map((panel) => {
    if (panel.id !== id) return panel;
    const { x, w, h } = panel.position;
    const width = within(w + (step.w ?? 0), MIN_WIDTH, COLUMNS - x);
    const position = {
      x: within(x + (step.x ?? 0), 0, COLUMNS - width),
      y: nextRow(panels, panel, step.y ?? 0),
      w: width,
      h: within(h + (step.h ?? 0), MIN_HEIGHT, MAX_ROWS),
    };
    return { ...panel, position };
  });
  return settle(moved, id);
}

/** The row past the next panel in the way: one row further would be taken back when the panels settle. */
function nextRow(panels: readonly Panel[], panel: Panel, step: number): number {
  const { x, y, w, h } = panel.position;
  const column = panels.flatMap(({ id, position }) =>
    id !== panel.id && position.x < x + w && x < position.x + position.w ? [position] : [],
  );
  if (step < 0) return Math.max(0, ...column.filter((one) => one.y < y).map((one) => one.y));
  const below = column.filter((one) => one.y >= y + h).map((one) => one.y + one.h);
  return below.length && step > 0 ? Math.min(...below) : y;
}

function within(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), Math.max(low, high));
}

/** The first free place for a panel of this size, below what is there if nowhere else. */
export function freePosition(panels: readonly Panel[], w: number, h: number): Position {
  const bottom = Math.max(0, ...panels.map(({ position }) => position.y + position.h));
  for (let y = 0; y < bottom; y += 1)
    for (let x = 0; x + w <= COLUMNS; x += 1) {
      const position = { x, y, w, h };
      if (!panels.some((panel) => overlap(position, panel.position))) return position;
    }
  return { x: 0, y: bottom, w, h };
}
