/**
 * Positions that a person gave to nodes. They belong to the job, not to its document, and are kept by the
 * names of nodes. No React.
 */

import { ownValue } from "../../api/own-value";
import { isName } from "../names";
import type { Graph } from "./graph";
import type { Direction, Position } from "./layout";

export type Positions = Readonly<Record<string, Position>>;
/** What is kept of a job: wide and narrow drawings have positions of their own. */
export type PositionsByDirection = Readonly<Record<Direction, Positions>>;
/** null: automatic again */
export type Moved = Readonly<Record<string, Position | null>>;
export type Moves = Readonly<Partial<Record<Direction, Moved>>>;

const DIRECTIONS: readonly Direction[] = ["right", "down"];
const NO_MOVES: Moved = {};
export const AUTOMATIC: PositionsByDirection = { right: {}, down: {} };

/** The positions after moves. */
export function withMoves(positions: PositionsByDirection, moves: Moves): PositionsByDirection {
  const after = (direction: Direction) =>
    moves[direction] ? placed({ ...positions[direction], ...moves[direction] }) : positions[direction];
  return { right: after("right"), down: after("down") };
}

function placed(moved: Moved): Positions {
  return Object.fromEntries(
    Object.entries(moved).filter((entry): entry is [string, Position] => entry[1] !== null),
  );
}

/** Moves and those that came after them as one. */
export function joinMoves(first: Moves, next: Moves): Moves {
  return Object.fromEntries(
    DIRECTIONS.filter((direction) => first[direction] ?? next[direction]).map((direction) => [
      direction,
      { ...(first[direction] ?? NO_MOVES), ...(next[direction] ?? NO_MOVES) },
    ]),
  );
}

/**
 * Whether a node can have it: the name of a source or step, or `output:` and that of an output. False for one
 * that is being typed, and that no job can have.
 */
export function isNodeName(id: string): boolean {
  return isName(id.replace(/^output:/, ""));
}

/** Those moves that are of certain nodes. */
export function movesOf(moves: Moves, isNode: (id: string) => boolean): Moves {
  return Object.fromEntries(
    Object.entries(moves).map(([direction, moved]) => [
      direction,
      Object.fromEntries(Object.entries(moved).filter(([id]) => isNode(id))),
    ]),
  );
}

export function isEmpty(moves: Moves): boolean {
  return DIRECTIONS.every((direction) => Object.keys(moves[direction] ?? NO_MOVES).length === 0);
}

/** Back to the automatic layout. */
export function movesToAutomatic(positions: PositionsByDirection, direction: Direction): Moves {
  return { [direction]: Object.fromEntries(Object.keys(positions[direction]).map((id) => [id, null])) };
}

/**
 * Moves by which renamed nodes stay where they are. The old names keep their places, too: a version that runs
 * may have them; the server forgets them with the version that lacks them.
 *
 * @param names new names by old ones
 */
export function movesOfRenames(positions: PositionsByDirection, names: ReadonlyMap<string, string>): Moves {
  const renamed = (direction: Direction): Moved =>
    Object.fromEntries(
      [...names].flatMap(([old, next]) => {
        const position = ownValue(positions[direction], old);
        return position ? [[next, position]] : [];
      }),
    );
  return { right: renamed("right"), down: renamed("down") };
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
