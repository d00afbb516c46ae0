import { useElementSize } from "@mantine/hooks";
import { useReactFlow, useStore } from "@xyflow/react";
import { useMemo, useRef, useState } from "react";
import type { FlowEdge, FlowNode } from "./flow";
import type { Direction } from "./layout";
import type { Positions } from "./positions";
import { NOTHING, type Selection } from "./selection";

/** Narrower drawings go from top to bottom, without a palette and an overview beside them. */
const WIDE = 620;
/** Below this zoom nodes show their names only. */
const FAR = 0.45;

/** What is looked at in a drawing, and how: nothing of it is kept. */
export function useView() {
  const { ref: frame, width } = useElementSize<HTMLDivElement>();
  const box = useRef<HTMLDivElement>(null);
  const flow = useReactFlow<FlowNode, FlowEdge>();
  const isFar = useStore(({ transform }) => transform[2] < FAR);
  const [selected, setSelected] = useState<Selection>(NOTHING);
  const [currentNode, setCurrent] = useState<string | null>(null);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [isHelpOpen, setHelpOpen] = useState(false);
  const isWide = width === 0 || width > WIDE;
  const direction: Direction = isWide ? "right" : "down";
  const commands = useMemo(
    () => ({
      fit: () => {
        void flow.fitView({ padding: 0.08, maxZoom: 1 });
      },
      zoomIn: () => {
        void flow.zoomIn();
      },
      zoomOut: () => {
        void flow.zoomOut();
      },
      help: () => {
        setHelpOpen(true);
      },
    }),
    [flow],
  );
  return {
    /** measures what holds the drawing */
    frame,
    width,
    /** holds the nodes */
    box,
    flow,
    isFar,
    isWide,
    direction,
    selected,
    setSelected,
    /** the node that had the focus last */
    currentNode,
    setCurrent,
    /** nodes whose fields are all shown */
    open,
    fold: (id: string) => {
      setOpen((now) => new Set(now.has(id) ? [...now].filter((one) => one !== id) : [...now, id]));
    },
    isHelpOpen,
    setHelpOpen,
    commands,
    /** where nodes are once they are moved by so many pixels */
    movedBy: (ids: readonly string[], dx: number, dy: number): Positions =>
      Object.fromEntries(
        ids.flatMap((id) => {
          const node = flow.getNode(id);
          return node ? [[id, { x: node.position.x + dx, y: node.position.y + dy }]] : [];
        }),
      ),
  };
}

export type View = ReturnType<typeof useView>;
