import type { ReactNode, RefObject } from "react";
import type { CheckedNode, Problem } from "../../api/types";
import type { Outline } from "../outline";
import type { GraphNode } from "./graph";
import { NodeEditor } from "./node-editor";
import classes from "./drawing.module.css";

interface SideColumnProps {
  side: RefObject<HTMLDivElement | null>;
  /** the node whose form is shown; undefined: none */
  chosen: GraphNode | undefined;
  outline: Outline;
  nodes: readonly CheckedNode[];
  text: string;
  onChange: (text: string) => void;
  problems: readonly Problem[];
  /** shown while no form is */
  aside: ReactNode;
  /** puts the focus back into the drawing */
  onBack: () => void;
  onClose: () => void;
}

/** The form of the selected node beside the drawing; without one, what else the page shows, below it. */
export function SideColumn({ side, chosen, aside, onBack, onClose, ...rest }: SideColumnProps) {
  return (
    <div
      ref={side}
      className={chosen ? classes["side"] : classes["below"]}
      onKeyDown={(event) => {
        if (event.key === "Escape" && !event.defaultPrevented && chosen) onBack();
      }}
    >
      {chosen ? <NodeEditor node={chosen} onClose={onClose} {...rest} /> : aside}
    </div>
  );
}
