import { useWindowEvent } from "@mantine/hooks";
import { useEffect, useImperativeHandle, useMemo, useRef, useState, type DragEvent } from "react";
import { focusPath } from "../path-focus";
import { formProblem } from "../form-problem";
import type { Outline } from "../outline";
import { ActionsContext, type Actions } from "./actions";
import { Canvas } from "./canvas";
import type { DrawingProps } from "./drawing-props";
import { misfit, type Drawn, type Target } from "./fits";
import { outputId } from "./graph";
import type { Place } from "./graph-edits";
import { NodeEditor } from "./node-editor";
import { NODE_WIDTH } from "./node-size";
import { edgeAt } from "./drop";
import { Overlays, type Overlay } from "./overlays";
import { draggedItem, Palette, useOffers } from "./palette";
import { renamedNodes } from "./positions";
import { NOTHING, selectionOf, within } from "./selection";
import { Toolbar } from "./toolbar";
import { useClipboard } from "./use-clipboard";
import { useEdits } from "./use-edits";
import { useKeys } from "./use-keys";
import { nodeIdOf, useNodeFocus } from "./use-node-focus";
import { usePicture } from "./use-picture";
import { usePositions } from "./use-positions";
import { useView } from "./use-view";
import { useStateForecast } from "./use-state-forecast";
import classes from "./drawing.module.css";

export function Editing({ outline, ...props }: DrawingProps & { outline: Outline }) {
  const { text, onChange, nodes, aside, ref } = props;
  const view = useView();
  const {
    frame,
    isFar,
    width,
    isWide,
    direction,
    box,
    flow,
    selected,
    setSelected,
    currentNode,
    setCurrent,
  } = view;
  const side = useRef<HTMLDivElement>(null);
  const palette = useRef<HTMLInputElement>(null);
  const [overlay, setOverlay] = useState<Overlay | null>(null);
  const [said, setSaid] = useState("");
  const positions = usePositions(props.job, direction);
  const problems = useMemo(
    () => props.problems.map((problem) => formProblem(problem, outline)),
    [props.problems, outline],
  );
  const forecast = useStateForecast(text, nodes, props.isSound);
  const picture = usePicture({ outline, nodes, problems, forecast, open: view.open, direction });
  const { graph } = picture;
  const [known, setKnown] = useState(graph);
  if (known !== graph) {
    setKnown(graph);
    const names = renamedNodes(known, graph);
    if (names.size) {
      positions.rename(names);
      const now = [...selected.nodes].map((id) => names.get(id) ?? id);
      setSelected({ ...selected, nodes: new Set(now) });
    }
  }
  const selection = within(selected, graph);
  const current = graph.nodes.some(({ id }) => id === currentNode)
    ? currentNode
    : (graph.nodes[0]?.id ?? null);
  const focus = useNodeFocus(box, graph);
  const drawn: Drawn = useMemo(() => ({ outline, graph, nodes }), [outline, graph, nodes]);
  const edits = useEdits({
    text,
    onChange,
    drawn,
    selection,
    select: setSelected,
    focus: (id) => {
      setCurrent(id);
      focus.focusSoon(id);
    },
    say: setSaid,
  });
  const offers = useOffers(outline);
  const openAdd = (place?: Place) => {
    if (place === undefined && isWide && palette.current) palette.current.focus();
    else setOverlay({ kind: "add", ...(place && { place }) });
  };
  const openForm = (id: string, path?: readonly string[]) => {
    setSelected(selectionOf(id));
    setCurrent(id);
    window.requestAnimationFrame(() => {
      const first = side.current?.querySelector<HTMLElement>("input:not([type=hidden]), textarea");
      if (path) focusPath(side.current, path);
      else first?.focus();
    });
  };
  useImperativeHandle(ref, () => ({
    goTo: ([section = "", name = "", ...rest]) => {
      const id = section === "outputs" ? outputId(name) : name;
      if (!graph.nodes.some((node) => node.id === id)) return;
      focus.reveal(id);
      openForm(id, [section, name, ...rest]);
    },
  }));
  const onKeyDown = useKeys({
    box,
    isEditable: true,
    graph,
    current,
    selection,
    select: setSelected,
    focusNode: (id) => {
      setCurrent(id);
      focus.focusNow(id);
    },
    move: (ids, dx, dy) => {
      const moved = ids.flatMap((id) => {
        const node = flow.getNode(id);
        return node ? [[id, { x: node.position.x + dx, y: node.position.y + dy }] as const] : [];
      });
      positions.move(Object.fromEntries(moved));
    },
    commands: {
      ...view.commands,
      add: () => {
        openAdd();
      },
      connect: () => {
        if (current) setOverlay({ kind: "connect", id: current });
      },
      delete: edits.remove,
      find: () => {
        setOverlay({ kind: "find" });
      },
      tidy: positions.tidy,
      open: () => {
        if (current) openForm(current);
      },
    },
  });
  useClipboard(box, { copy: edits.copied, paste: edits.paste, remove: edits.remove });

  const onDrop = (event: DragEvent) => {
    const item = draggedItem(event);
    if (!item) return;
    event.preventDefault();
    const edge = item.kind === "step" ? edgeAt(event, graph.edges) : undefined;
    const id = edits.add(item, edge ? { edge } : { apart: true });
    if (!id || edge) return;
    const { x, y } = flow.screenToFlowPosition({ x: event.clientX, y: event.clientY });
    positions.move({ [id]: { x: Math.round(x - NODE_WIDTH / 2), y: Math.round(y - 26) } });
  };
  const actions: Actions = {
    isEditable: true,
    misfit: (reference: string, target: Target) => misfit(drawn, reference, target),
    fold: view.fold,
    insertOn: (edge) => {
      setOverlay({ kind: "add", place: { edge } });
    },
    disconnect: edits.cut,
  };
  const [only] = selection.nodes;
  const node = selection.nodes.size === 1 ? graph.nodes.find(({ id }) => id === only) : undefined;
  const { reveal } = focus;
  useEffect(() => {
    // The form beside it may have covered the node.
    if (only !== undefined) reveal(only);
  }, [only, width, reveal]);
  const back = () => {
    if (current) focus.focusNow(current);
  };
  // A button of the form may be gone with what it did, and the focus with it.
  useWindowEvent("keydown", (event) => {
    if (event.key === "Escape" && document.activeElement === document.body) back();
  });
  /** Once a dialog that is closing has given the focus away. */
  const goTo = (id: string) => {
    setCurrent(id);
    window.requestAnimationFrame(() => focus.focusNow(id));
  };
  return (
    <ActionsContext value={actions}>
      <div className={node ? classes["columns"] : classes["rows"]}>
        <div ref={frame} className={classes["frame"]}>
          <Toolbar
            {...(!isWide && {
              onAdd: () => {
                openAdd();
              },
            })}
            {...(node && {
              onConnect: () => {
                setOverlay({ kind: "connect", id: node.id });
              },
            })}
            {...((selection.nodes.size > 0 || selection.edge) && { onDelete: edits.remove })}
            onFind={() => {
              setOverlay({ kind: "find" });
            }}
            view={view}
            {...(Object.keys(positions.positions).length > 0 && { onTidy: positions.tidy })}
          />
          <div className={classes["work"]}>
            {isWide && (
              <div className={classes["palette"]}>
                <Palette ref={palette} offers={offers} onAdd={(item) => edits.add(item)} />
              </div>
            )}
            <div
              ref={box}
              className={classes["canvas"]}
              data-far={isFar}
              onKeyDown={onKeyDown}
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
                  current={current}
                  onCurrent={(id) => {
                    setCurrent(id);
                    focus.focusNow(id);
                  }}
                  onConnect={edits.link}
                  onLoose={(reference) => {
                    setOverlay({ kind: "add", place: { after: [reference] } });
                  }}
                  isValid={(reference, target) => misfit(drawn, reference, target) === null}
                  onDrop={onDrop}
                  isEditable
                  isWide={isWide}
                />
              )}
              {graph.nodes.length === 0 && (
                <p className={classes["hint"]}>Add a stream or table to read: drag it here, or press A.</p>
              )}
            </div>
          </div>
        </div>
        <div
          ref={side}
          className={node ? classes["side"] : classes["below"]}
          onKeyDown={(event) => {
            if (event.key === "Escape" && !event.defaultPrevented && node) back();
          }}
        >
          {node ? (
            <NodeEditor
              node={node}
              outline={outline}
              nodes={nodes}
              text={text}
              onChange={onChange}
              problems={problems}
              onClose={() => {
                setSelected(NOTHING);
                back();
              }}
            />
          ) : (
            aside
          )}
        </div>
        <p className="visually-hidden" role="status">
          {said}
        </p>
      </div>
      {overlay && (
        <Overlays
          overlay={overlay}
          offers={offers}
          drawn={drawn}
          picture={picture}
          onAdd={edits.add}
          onConnect={edits.link}
          onFind={(id) => {
            setSelected(selectionOf(id));
            goTo(id);
          }}
          onClose={() => {
            setOverlay(null);
            if (current) goTo(current);
          }}
        />
      )}
    </ActionsContext>
  );
}
