import { useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { useDrawing, useMoveNodes } from "../../api/drawing";
import { useMay, useWorkspace } from "../../api/workspace-context";
import { readPositions, writePositions } from "./browser-positions";
import type { Direction } from "./layout";
import { drawnPositions, PositionSaver } from "./position-saver";
import {
  AUTOMATIC,
  movesOfRenames,
  movesToAutomatic,
  withMoves,
  type Moved,
  type Moves,
  type Positions,
  type PositionsByDirection,
} from "./positions";

/** Where a person put the nodes of a drawing. */
export interface KeptPositions {
  byDirection: PositionsByDirection;
  /** those of them that this person can take away: of a viewer, the own ones */
  movable: PositionsByDirection;
  move: (moves: Moves) => void;
  /** lets renamed nodes stay where they are; new names by old ones */
  rename: (names: ReadonlyMap<string, string>) => void;
  /** who sees them: everybody who sees the job, or this browser alone */
  seenBy: "everybody" | "browser";
  /** not known yet; nothing is drawn until then, or nodes would jump */
  isLoading: boolean;
  failure: PositionsFailure | null;
}

interface PositionsFailure {
  what: string;
  error: unknown;
  retry: () => void;
}

/** The positions of a draft, kept in this browser until the draft is a job. */
export function useDraftPositions(place: string): KeptPositions & { forget: () => void } {
  const kept = useBrowserPositions(place, AUTOMATIC);
  return {
    ...kept,
    forget: () => {
      writePositions(window.localStorage, place, AUTOMATIC);
      kept.reset();
    },
  };
}

/**
 * The positions of a job. Those who may edit it move nodes for everybody; a viewer moves them in this browser
 * alone, over what the job has.
 */
export function useJobPositions(job: string): KeptPositions {
  const { slug } = useWorkspace();
  const mayEdit = useMay("edit");
  const query = useDrawing(job);
  const stored = query.data ?? AUTOMATIC;
  const own = useBrowserPositions(`${slug}.job.${job}`, stored);
  const shared = useSharedPositions(job, stored);
  const kept: KeptPositions = mayEdit ? shared : own;
  const { isPending: isLoading, error, refetch } = query;
  const unread = error && { what: "Positions not loaded", error, retry: () => void refetch() };
  return { ...kept, isLoading, failure: kept.failure ?? unread };
}

function useBrowserPositions(place: string, below: PositionsByDirection) {
  const [kept, setKept] = useState(() => ({ place, own: readPositions(window.localStorage, place) }));
  const now = kept.place === place ? kept : { place, own: readPositions(window.localStorage, place) };
  if (now !== kept) setKept(now);
  const byDirection = useMemo(() => withMoves(below, now.own), [below, now.own]);
  const move = (moves: Moves) => {
    setKept(({ own }) => {
      const next = withMoves(own, moves);
      writePositions(window.localStorage, place, next);
      return { place, own: next };
    });
  };
  return {
    byDirection,
    movable: now.own,
    move,
    rename: (names: ReadonlyMap<string, string>) => {
      move(movesOfRenames(byDirection, names));
    },
    reset: () => {
      setKept({ place, own: AUTOMATIC });
    },
    seenBy: "browser" as const,
    isLoading: false,
    failure: null,
  };
}

function useSharedPositions(job: string, stored: PositionsByDirection): KeptPositions {
  const { mutateAsync } = useMoveNodes(job);
  const saver = useMemo(() => new PositionSaver(mutateAsync), [mutateAsync]);
  const { unsaved, failure } = useSyncExternalStore(saver.subscribe, saver.snapshot);
  useEffect(() => {
    const flush = () => void saver.flush();
    window.addEventListener("pagehide", flush);
    return () => {
      window.removeEventListener("pagehide", flush);
      flush();
    };
  }, [saver]);
  const byDirection = useMemo(() => drawnPositions(stored, unsaved), [stored, unsaved]);
  return {
    byDirection,
    movable: byDirection,
    move: (moves) => {
      saver.move(moves);
    },
    rename: (names) => {
      saver.move(movesOfRenames(byDirection, names));
    },
    seenBy: "everybody",
    isLoading: false,
    failure: failure
      ? { what: "Positions not saved", error: failure, retry: () => void saver.flush() }
      : null,
  };
}

/** The positions of the drawing that is shown, wide or narrow. */
export interface ShownPositions {
  positions: Positions;
  /** puts nodes somewhere */
  move: (moved: Moved) => void;
  /** back to the automatic layout; null while all positions are automatic */
  tidy: (() => void) | null;
  /** puts the nodes back after that; null once one was moved */
  undoTidy: (() => void) | null;
}

export function useShownPositions(kept: KeptPositions, direction: Direction): ShownPositions {
  const [tidied, setTidied] = useState<Moves | null>(null);
  const before = kept.movable[direction];
  const move = (moves: Moves) => {
    setTidied(null);
    kept.move(moves);
  };
  return {
    positions: kept.byDirection[direction],
    move: (moved) => {
      move({ [direction]: moved });
    },
    tidy:
      Object.keys(before).length > 0
        ? () => {
            kept.move(movesToAutomatic(kept.movable, direction));
            setTidied({ [direction]: before });
          }
        : null,
    undoTidy:
      tidied &&
      (() => {
        move(tidied);
      }),
  };
}
