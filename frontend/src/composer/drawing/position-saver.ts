/** Saves moves of nodes after a pause in moving. No React. */

import {
  isEmpty,
  isNodeName,
  joinMoves,
  movesOf,
  withMoves,
  type Moves,
  type PositionsByDirection,
} from "./positions";

/** Long enough for the next drag to begin, short enough to be over before somebody else looks. */
export const PAUSE_MS = 800;

interface Saved {
  /** moves that the server has not confirmed */
  unsaved: Moves;
  /** why they could not be saved; null while that is not so */
  failure: unknown;
}

/** Sends one request at a time: moves that come meanwhile wait and go together. */
export class PositionSaver {
  private waiting: Moves = {};
  private sent: Moves = {};
  private timer: ReturnType<typeof setTimeout> | null = null;
  private now: Saved = { unsaved: {}, failure: null };
  private readonly listeners = new Set<() => void>();

  /** @param save sends moves; fails if they are not saved */
  constructor(private readonly save: (moves: Moves) => Promise<unknown>) {}

  /** The same object until something changes. */
  readonly snapshot = (): Saved => this.now;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** Moves nodes; those whose names no job can have stay where they are, as the server would refuse all. */
  move(asked: Moves): void {
    const moves = movesOf(asked, isNodeName);
    if (isEmpty(moves)) return;
    this.waiting = joinMoves(this.waiting, moves);
    this.tell(this.now.failure);
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      void this.flush();
    }, PAUSE_MS);
  }

  /** Saves now what waits: after a failure, or because the page goes away. */
  async flush(): Promise<void> {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    if (!isEmpty(this.sent) || isEmpty(this.waiting)) return;
    this.sent = this.waiting;
    this.waiting = {};
    try {
      await this.save(this.sent);
      this.sent = {};
      this.tell(null);
    } catch (error) {
      this.waiting = joinMoves(this.sent, this.waiting);
      this.sent = {};
      this.tell(error);
      return;
    }
    if (this.timer === null) await this.flush();
  }

  private tell(failure: unknown): void {
    this.now = { unsaved: joinMoves(this.sent, this.waiting), failure };
    for (const listener of this.listeners) listener();
  }
}

/** What is drawn: what the server has, with the moves it has not confirmed. */
export function drawnPositions(stored: PositionsByDirection, unsaved: Moves): PositionsByDirection {
  return isEmpty(unsaved) ? stored : withMoves(stored, unsaved);
}
