import { Background, useStore } from "@xyflow/react";

const GAP = 24;
/** Below, the dots would be a grey haze, whose painting makes panning stutter. */
const LEAST_ZOOM = 0.4;

/** The dotted ground of a drawing. */
export function Dots() {
  const isSeen = useStore(({ transform: [, , zoom] }) => zoom >= LEAST_ZOOM);
  return isSeen && <Background gap={GAP} size={1} />;
}
