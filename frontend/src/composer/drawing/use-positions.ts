import { useEffect, useState } from "react";
import type { Direction } from "./layout";
import { readPositions, writePositions, type Positions } from "./positions";

/** Where a person put the nodes of a job; kept in this browser. */
export function usePositions(job: string, direction: Direction) {
  const [kept, setKept] = useState(() => read(job, direction));
  const isOther = kept.job !== job || kept.direction !== direction;
  const now = isOther ? read(job, direction) : kept;
  if (isOther) setKept(now);
  useEffect(() => {
    writePositions(window.localStorage, now.job, now.direction, now.positions);
  }, [now]);
  return {
    positions: now.positions,
    /** puts nodes somewhere */
    move: (moved: Positions) => {
      setKept((before) => ({ ...before, positions: { ...before.positions, ...moved } }));
    },
    /** back to the automatic layout */
    tidy: () => {
      setKept((before) => ({ ...before, positions: {} }));
    },
    /** lets renamed nodes stay where they are */
    rename: (names: ReadonlyMap<string, string>) => {
      setKept((before) => ({
        ...before,
        positions: Object.fromEntries(
          Object.entries(before.positions).map(([id, position]) => [names.get(id) ?? id, position]),
        ),
      }));
    },
  };
}

export type KeptPositions = ReturnType<typeof usePositions>;

function read(job: string, direction: Direction) {
  return { job, direction, positions: readPositions(window.localStorage, job, direction) };
}
