import { useRef, useState } from "react";
import type { Outline } from "../outline";
import { ActionsContext, type Actions } from "./actions";
import { CanvasColumn } from "./canvas-column";
import type { DrawingProps } from "./drawing-props";
import { misfit } from "./fits";
import { Overlays, type Overlay } from "./overlays";
import { useOffers } from "./palette";
import { NOTHING, selectionOf, within } from "./selection";
import { SideColumn } from "./side-column";
import { useClipboard } from "./use-clipboard";
import { useCurrentNode } from "./use-current-node";
import { useDrawnDocument } from "./use-drawn-document";
import { useEditingKeys } from "./use-editing-keys";
import { useEdits } from "./use-edits";
import { useFollowedRenames } from "./use-followed-renames";
import { useFormOpening } from "./use-form-opening";
import { usePaletteDrop } from "./use-palette-drop";
import { useShownPositions } from "./use-positions";
import { useView } from "./use-view";
import classes from "./drawing.module.css";

type EditingProps = DrawingProps & { outline: Outline };

/** The drawing of a document that can be edited, and the form of its selected node. */
export function Editing(props: EditingProps) {
  const editing = useEditing(props);
  const { view, chosen, node, actions, overlay, show } = editing;
  return (
    <ActionsContext value={actions}>
      <div className={chosen ? classes["columns"] : classes["rows"]}>
        <CanvasColumn {...editing} kept={props.positions} />
        <SideColumn
          {...props}
          side={editing.side}
          chosen={chosen}
          problems={editing.problems}
          onBack={node.back}
          onClose={() => {
            view.setSelected(NOTHING);
            node.back();
          }}
        />
        <p className="visually-hidden" role="status">
          {editing.said}
        </p>
      </div>
      {overlay && (
        <Overlays
          overlay={overlay}
          offers={editing.offers}
          drawn={editing.drawn}
          picture={editing.picture}
          onAdd={editing.edits.add}
          onConnect={editing.edits.link}
          onFind={(id) => {
            view.setSelected(selectionOf(id));
            node.goAfterDialog(id);
          }}
          onClose={() => {
            show(null);
            if (node.current) node.goAfterDialog(node.current);
          }}
        />
      )}
    </ActionsContext>
  );
}

/** All that the drawing and the form share: what is drawn and selected, and what can be done with it. */
function useEditing({ outline, text, onChange, nodes, ref, ...props }: EditingProps) {
  const view = useView();
  const { selected, setSelected } = view;
  const palette = useRef<HTMLInputElement>(null);
  const [overlay, show] = useState<Overlay | null>(null);
  const [said, say] = useState("");
  const positions = useShownPositions(props.positions, view.direction);
  const { problems, picture, drawn } = useDrawnDocument({ ...props, outline, text, nodes }, view);
  const { graph } = drawn;
  useFollowedRenames(graph, { selected, setSelected });
  const selection = within(selected, graph);
  const [first] = selection.nodes;
  const chosen = selection.nodes.size === 1 ? graph.nodes.find(({ id }) => id === first) : undefined;
  const node = useCurrentNode(view, graph);
  const edits = useEdits({ text, onChange, drawn, selection, select: setSelected, focus: node.goSoon, say });
  const offers = useOffers(outline);
  const openAdd = () => {
    if (view.isWide && palette.current) palette.current.focus();
    else show({ kind: "add" });
  };
  const { side, openForm } = useFormOpening({ ref, view, graph, node, first });
  const { move, tidy } = positions;
  const { add, remove } = edits;
  const onKeyDown = useEditingKeys({
    ...{ view, graph, selection, node, show },
    ...{ move, tidy, openAdd, openForm, remove },
  });
  const onDrop = usePaletteDrop({ edges: graph.edges, add, move });
  useClipboard(view.box, { copy: edits.copied, paste: edits.paste, remove });
  const actions: Actions = {
    isEditable: true,
    misfit: (reference, target) => misfit(drawn, reference, target),
    fold: view.fold,
    insertOn: (edge) => {
      show({ kind: "add", place: { edge } });
    },
    disconnect: edits.cut,
  };
  return {
    ...{ view, drawn, problems, picture, positions, selection, chosen, node, edits, offers },
    ...{ palette, side, overlay, show, said, actions, openAdd, onKeyDown, onDrop },
  };
}
