import type { DragEvent, KeyboardEvent, RefObject } from "react";
import { Link } from "wouter";
import { useStreams } from "../../api/streams";
import { useCarriedStreams } from "../carried-streams";
import { Canvas } from "./canvas";
import { misfit, type Drawn } from "./fits";
import type { GraphNode } from "./graph";
import type { Overlay } from "./overlays";
import { Palette } from "./palette";
import type { Offer } from "./palette-items";
import type { Selection } from "./selection";
import { Toolbar } from "./toolbar";
import type { CurrentNode } from "./use-current-node";
import type { Edits } from "./use-edits";
import { nodeIdOf } from "./use-node-focus";
import type { Picture } from "./use-picture";
import { PositionsNote } from "./positions-note";
import type { KeptPositions, ShownPositions } from "./use-positions";
import type { View } from "./use-view";
import classes from "./drawing.module.css";

interface CanvasColumnProps {
  view: View;
  drawn: Drawn;
  picture: Picture;
  positions: ShownPositions;
  /** what is kept of both drawings, wide and narrow */
  kept: KeptPositions;
  selection: Selection;
  /** the selected node if it is the only one */
  chosen: GraphNode | undefined;
  node: Pick<CurrentNode, "current" | "go">;
  edits: Pick<Edits, "add" | "link" | "remove">;
  offers: readonly Offer[];
  /** the search of the palette */
  palette: RefObject<HTMLInputElement | null>;
  openAdd: () => void;
  show: (overlay: Overlay) => void;
  onKeyDown: (event: KeyboardEvent) => void;
  onDrop: (event: DragEvent) => void;
}

/** The drawing itself: tools above it, the palette beside it where there is room. */
export function CanvasColumn(props: CanvasColumnProps) {
  const { view, edits, offers, palette } = props;
  const { frame, isWide } = view;
  return (
    <div ref={frame} className={classes["frame"]}>
      <Tools {...props} />
      <PositionsNote kept={props.kept} shown={props.positions} />
      <div className={classes["work"]}>
        {isWide && (
          <div className={classes["palette"]}>
            <Palette ref={palette} offers={offers} onAdd={(item) => edits.add(item)} />
          </div>
        )}
        <Box {...props} />
      </div>
    </div>
  );
}

/** The toolbar, with the actions that can be done now. */
function Tools({ view, positions, selection, chosen, edits, openAdd, show }: CanvasColumnProps) {
  const isSelected = selection.nodes.size > 0 || selection.edge !== null;
  return (
    <Toolbar
      {...(!view.isWide && { onAdd: openAdd })}
      {...(chosen && {
        onConnect: () => {
          show({ kind: "connect", id: chosen.id });
        },
      })}
      {...(isSelected && { onDelete: edits.remove })}
      onFind={() => {
        show({ kind: "find" });
      }}
      view={view}
      {...(positions.tidy && { onTidy: positions.tidy })}
    />
  );
}

/** What to do in an empty drawing. */
function Hint({ isWide }: { isWide: boolean }) {
  const isCarried = useCarriedStreams() !== null;
  const streams = useStreams().data?.results;
  return (
    <p className={classes["hint"]}>
      {!isCarried && streams?.length === 0 ? (
        <span>
          No streams yet. <Link href="/new-stream">Register a stream</Link> to read it.
        </span>
      ) : isWide ? (
        "Add a stream or table to read: click it in the list, drag it here, or press A."
      ) : (
        "Press Add to add a stream or table to read."
      )}
    </p>
  );
}

/** What the keys of the drawing work in. */
function Box(props: CanvasColumnProps) {
  const { view, drawn, picture, positions, selection, node, edits, show } = props;
  const { box, width, isFar, isWide, direction, setSelected, setCurrent } = view;
  return (
    <div
      ref={box}
      className={classes["canvas"]}
      data-far={isFar}
      onKeyDown={props.onKeyDown}
      onFocus={(event) => {
        const id = nodeIdOf(event.target);
        if (id !== null) setCurrent(id);
      }}
    >
      {width > 0 && (
        <Canvas
          key={direction}
          picture={picture}
          positions={positions.positions}
          onMove={positions.move}
          selection={selection}
          onSelect={setSelected}
          current={node.current}
          onCurrent={node.go}
          onConnect={edits.link}
          onLoose={(reference) => {
            show({ kind: "add", place: { after: [reference] } });
          }}
          isValid={(reference, target) => misfit(drawn, reference, target) === null}
          onDrop={props.onDrop}
          isEditable
          isMovable
          isWide={isWide}
        />
      )}
      {drawn.graph.nodes.length === 0 && <Hint isWide={isWide} />}
    </div>
  );
}
