import { ReactFlowProvider } from "@xyflow/react";
import { useMemo, useState } from "react";
import type { CheckedNode, StateForecast } from "../../api/types";
import { Panel } from "../../ui/page";
import { Empty, Loading } from "../../ui/placeholders";
import { NodeDetails } from "../node-details";
import { readOutline, type Outline } from "../outline";
import { ActionsContext, NO_ACTIONS } from "./actions";
import { Canvas } from "./canvas";
import type { RunNumbers } from "./live-facts";
import { Finder } from "./overlays";
import { selectionOf, within } from "./selection";
import { Toolbar } from "./toolbar";
import { useKeys } from "./use-keys";
import { nodeIdOf, useNodeFocus } from "./use-node-focus";
import { usePicture } from "./use-picture";
import { PositionsNote } from "./positions-note";
import { useShownPositions, type KeptPositions } from "./use-positions";
import { useView } from "./use-view";
import classes from "./drawing.module.css";

interface ShowingProps {
  text: string;
  nodes: readonly CheckedNode[];
  positions: KeptPositions;
  /** what the running job tells */
  run: RunNumbers;
  /** what the state of its steps was estimated to be */
  forecast: readonly StateForecast[];
}

/** The drawing of a job that runs: nodes can be moved, and nothing else edited. */
export default function Showing(props: ShowingProps) {
  const reading = useMemo(() => readOutline(props.text), [props.text]);
  if (props.positions.isLoading) return <Loading title="Loading drawing…" />;
  if ("unsupported" in reading)
    return (
      <Panel>
        <Empty title="Can't draw this job">{reading.unsupported}</Empty>
      </Panel>
    );
  return (
    <ReactFlowProvider>
      <Shown {...props} outline={reading.outline} />
    </ReactFlowProvider>
  );
}

function Shown({ nodes, positions: kept, run, forecast, outline }: ShowingProps & { outline: Outline }) {
  const view = useView();
  const {
    frame,
    isFar,
    width,
    isWide,
    direction,
    box,
    selected,
    setSelected,
    currentNode,
    setCurrent,
    open,
  } = view;
  const [isFinding, setFinding] = useState(false);
  const shown = useShownPositions(kept, direction);
  const { positions, move, tidy } = shown;
  const picture = usePicture({ outline, nodes, problems: NONE, forecast, run, open, direction });
  const { graph } = picture;
  const selection = within(selected, graph);
  const current = currentNode ?? graph.nodes[0]?.id ?? null;
  const focus = useNodeFocus(box, graph);
  const goTo = (id: string) => {
    setCurrent(id);
    window.requestAnimationFrame(() => focus.focusNow(id));
  };
  const find = () => {
    setFinding(true);
  };
  const onKeyDown = useKeys({
    box,
    isEditable: false,
    graph,
    current,
    selection,
    select: setSelected,
    focusNode: goTo,
    move: (ids, dx, dy) => {
      move(view.movedBy(ids, dx, dy));
    },
    commands: {
      ...view.commands,
      ...(tidy && { tidy }),
      find,
      open: () => {
        if (current) setSelected(selectionOf(current));
      },
      fold: () => {
        if (current) view.fold(current);
      },
    },
  });
  const actions = { ...NO_ACTIONS, fold: view.fold };
  const [only] = selection.nodes;
  const chosen = selection.nodes.size === 1 ? nodes.find(({ name }) => name === only) : undefined;
  return (
    <ActionsContext value={actions}>
      <div className={chosen ? classes["columns"] : classes["rows"]}>
        <div ref={frame} className={classes["frame"]}>
          <Toolbar onFind={find} view={view} {...(tidy && { onTidy: tidy })} />
          <PositionsNote kept={kept} shown={shown} isOwn={kept.seenBy === "browser" && tidy !== null} />
          <div className={classes["work"]}>
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
                  positions={positions}
                  onMove={move}
                  selection={selection}
                  onSelect={setSelected}
                  current={current}
                  onCurrent={goTo}
                  isEditable={false}
                  isMovable={isWide}
                  isWide={isWide}
                />
              )}
            </div>
          </div>
        </div>
        {chosen && (
          <div className={classes["side"]}>
            <Panel title={chosen.name}>
              <NodeDetails node={chosen} />
            </Panel>
          </div>
        )}
      </div>
      {isFinding && (
        <Finder
          picture={picture}
          onFind={(id) => {
            setSelected(selectionOf(id));
            goTo(id);
          }}
          onClose={() => {
            setFinding(false);
            if (current) goTo(current);
          }}
        />
      )}
    </ActionsContext>
  );
}

const NONE: readonly never[] = [];
