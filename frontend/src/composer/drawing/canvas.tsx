import {
  MiniMap,
  ReactFlow,
  type Connection,
  type EdgeChange,
  type FinalConnectionState,
  type NodeChange,
} from "@xyflow/react";
import { useMemo, useState, type DragEvent, type ReactNode } from "react";
import { Dots } from "./dots";
import { inputAt, referenceAt, flowEdges, flowNodes, type FlowEdge, type FlowNode } from "./flow";
import { EdgeView } from "./edge-view";
import { NodeView } from "./node-view";
import type { Picture } from "./use-picture";
import type { Position } from "./layout";
import type { Moved, Positions } from "./positions";
import type { Selection } from "./selection";
import type { Target } from "./fits";
import "@xyflow/react/dist/base.css";
import classes from "./drawing.module.css";

const NODE_TYPES = { weir: NodeView };
const EDGE_TYPES = { weir: EdgeView };
const FIT = { padding: 0.08, maxZoom: 1 };

interface CanvasProps {
  picture: Picture;
  positions: Positions;
  onMove: (moved: Moved) => void;
  selection: Selection;
  onSelect: (selection: Selection) => void;
  /** the node that Tab reaches */
  current: string | null;
  onCurrent: (id: string) => void;
  /** left out where the drawing shows only, and the next three with it */
  onConnect?: (reference: string, target: Target) => void;
  /** a connection that ended on no port, at a place of the page */
  onLoose?: (reference: string) => void;
  isValid?: (reference: string, target: Target) => boolean;
  onDrop?: (event: DragEvent) => void;
  isEditable: boolean;
  /** a finger that scrolls the page must not move what only shows */
  isMovable: boolean;
  isWide: boolean;
  children?: ReactNode;
}

/** The graph in React Flow. The caller keeps positions and selection, save while a node is dragged. */
export function Canvas(props: CanvasProps) {
  const { picture, positions, selection, current, isEditable, isWide, children } = props;
  const [dragged, setDragged] = useState<Positions>({});
  const placed = useMemo(
    () =>
      new Map<string, Position>([
        ...picture.layout,
        ...Object.entries(positions),
        ...Object.entries(dragged),
      ]),
    [picture.layout, positions, dragged],
  );
  const nodes = useMemo(
    () => flowNodes(picture.graph, { ...picture, positions: placed, selected: selection.nodes, current }),
    [picture, placed, selection.nodes, current],
  );
  const edges = useMemo(
    () => flowEdges(picture.graph, picture.edges, selection.edge),
    [picture, selection.edge],
  );
  const onNodesChange = (changes: NodeChange<FlowNode>[]) => {
    setDragged((now) => ({ ...now, ...movesOf(changes) }));
    const next = nodesAfter(selection.nodes, changes);
    if (next) props.onSelect({ nodes: next, edge: next.size ? null : selection.edge });
  };
  const onEdgesChange = (changes: EdgeChange<FlowEdge>[]) => {
    const chosen = changes.find((change) => change.type === "select" && change.selected);
    if (chosen?.type === "select") props.onSelect({ nodes: new Set(), edge: chosen.id });
    else if (changes.some((change) => change.type === "select" && change.id === selection.edge))
      props.onSelect({ ...selection, edge: null });
  };
  return (
    <ReactFlow<FlowNode, FlowEdge>
      nodes={nodes}
      edges={edges}
      nodeTypes={NODE_TYPES}
      edgeTypes={EDGE_TYPES}
      onNodesChange={onNodesChange}
      onEdgesChange={onEdgesChange}
      onNodeDragStop={(_, __, moved) => {
        props.onMove(Object.fromEntries(moved.map(({ id, position: { x, y } }) => [id, rounded(x, y)])));
        setDragged({});
      }}
      onNodeClick={(_, { id }) => {
        props.onCurrent(id);
      }}
      onConnect={(connection) => {
        props.onConnect?.(...linkOf(connection));
      }}
      onConnectEnd={(_, state) => {
        const reference = looseEnd(state);
        if (reference) props.onLoose?.(reference);
      }}
      isValidConnection={(connection) => props.isValid?.(...linkOf(connection)) ?? false}
      onDragOver={(event) => {
        event.preventDefault();
        event.dataTransfer.dropEffect = "copy";
      }}
      {...(props.onDrop && { onDrop: props.onDrop })}
      nodesDraggable={props.isMovable}
      nodeDragThreshold={4}
      nodesConnectable={isEditable}
      nodesFocusable={false}
      edgesFocusable={false}
      disableKeyboardA11y
      deleteKeyCode={null}
      zoomOnScroll={false}
      preventScrolling={false}
      zoomOnDoubleClick={false}
      connectionRadius={28}
      minZoom={0.15}
      maxZoom={1.6}
      fitView
      fitViewOptions={FIT}
      aria-label="Drawing of the job"
    >
      <Dots />
      {isWide && (
        <MiniMap
          pannable
          zoomable
          ariaLabel="Overview of the drawing"
          style={{ width: 132, height: 88 }}
          nodeClassName={({ data }) => classes[`mini-${(data as FlowNode["data"]).node.kind}`] ?? ""}
        />
      )}
      {children}
    </ReactFlow>
  );
}

function linkOf({
  source,
  sourceHandle,
  target,
  targetHandle,
}: Pick<Connection, "source" | "target"> & {
  sourceHandle?: string | null;
  targetHandle?: string | null;
}): [string, Target] {
  return [referenceAt(source, sourceHandle), { to: target, input: inputAt(targetHandle) }];
}

function rounded(x: number, y: number): Position {
  return { x: Math.round(x), y: Math.round(y) };
}

/** The reference of a connection from a port that ended nowhere; null for any other. */
function looseEnd({ isValid, fromHandle, toHandle, to, from }: FinalConnectionState): string | null {
  if (isValid || toHandle || fromHandle?.type !== "source" || !to) return null;
  const isClick = Math.hypot(to.x - from.x, to.y - from.y) < 24;
  return isClick ? null : referenceAt(fromHandle.nodeId, fromHandle.id);
}

function movesOf(changes: readonly NodeChange<FlowNode>[]): Positions {
  return Object.fromEntries(
    changes.flatMap((change) =>
      change.type === "position" && change.position && change.dragging ? [[change.id, change.position]] : [],
    ),
  );
}

/** The selected nodes after changes; null if none of them selects or deselects. */
function nodesAfter(
  selected: ReadonlySet<string>,
  changes: readonly NodeChange<FlowNode>[],
): ReadonlySet<string> | null {
  const chosen = changes.filter((change) => change.type === "select");
  if (!chosen.length) return null;
  const next = new Set(selected);
  for (const { id, selected: isSelected } of chosen) {
    if (isSelected) next.add(id);
    else next.delete(id);
  }
  return next;
}
