import { MiniMap, ReactFlow, ReactFlowProvider, useReactFlow, useStore, type Edge } from "@xyflow/react";
import { useElementSize } from "@mantine/hooks";
import { useImperativeHandle, useMemo, useRef, useState, type KeyboardEvent, type Ref } from "react";
import { useLocation } from "wouter";
import type { WorkspaceMap } from "../../api/types";
import { Dots } from "../../composer/drawing/dots";
import { isArrow, neighbour } from "../../composer/drawing/navigation";
import type { Direction } from "../../composer/drawing/layout";
import { flowText, spoken, type Place } from "./map-graph";
import { edgeId, positionsOf, sizeOf } from "./map-layout";
import { MapNodeView, type MapFlowNode } from "./map-node";
import "@xyflow/react/dist/base.css";
import classes from "./map.module.css";

const NODE_TYPES = { place: MapNodeView };
const FIT = { padding: 0.06, maxZoom: 1 };
/** Narrower maps go from top to bottom, without an overview beside them. */
const WIDE = 620;
/** At a smaller zoom a place is its name and its colour: nothing else could be read, yet all be painted. */
const FAR = 0.45;
/** More labels on edges hide the map. */
const LABELLED = 80;

interface MapDrawingProps {
  map: WorkspaceMap;
  places: readonly Place[];
  /** what the search found; null: nothing is searched */
  found: ReadonlySet<string> | null;
  /** goes to the first place that was found */
  goTo: Ref<() => void>;
}

/** The map, which is looked at and clicked; nothing in it can be moved. */
export function MapDrawing(props: MapDrawingProps) {
  const { ref, width } = useElementSize<HTMLDivElement>();
  return (
    <div ref={ref} className={classes["frame"]}>
      {width > 0 && (
        <ReactFlowProvider>
          <Drawn {...props} isWide={width > WIDE} />
        </ReactFlowProvider>
      )}
    </div>
  );
}

function Drawn({ map, places, found, goTo, isWide }: MapDrawingProps & { isWide: boolean }) {
  const [, navigate] = useLocation();
  const [isMoving, setMoving] = useState(false);
  const isFar = useStore(({ transform: [, , zoom] }) => zoom < FAR);
  const flow = useReactFlow<MapFlowNode>();
  const box = useRef<HTMLDivElement>(null);
  const [current, setCurrent] = useState(places[0]?.id ?? "");
  const direction: Direction = isWide ? "right" : "down";
  const positions = usePositions(map, direction);
  const names = useMemo(() => new Map(places.map(({ id, name }) => [id, name])), [places]);
  const tabStop = names.has(current) ? current : (places[0]?.id ?? "");
  const nodes = useMemo(
    () =>
      places.map((place): MapFlowNode => {
        const size = sizeOf(place.kind);
        return {
          id: place.id,
          type: "place",
          data: { place, direction, isFound: found && found.has(place.id) },
          position: positions.get(place.id) ?? { x: 0, y: 0 },
          ...size,
          measured: size,
          ariaRole: "link",
          ariaLabel: spoken(place, map.edges, names),
          domAttributes: {
            tabIndex: place.id === tabStop ? 0 : -1,
            ...(place.href === null && { "aria-disabled": true }),
          },
        };
      }),
    [places, positions, direction, found, map.edges, names, tabStop],
  );
  const edges = useMemo(() => map.edges.map((edge) => drawnEdge(edge, map.edges.length)), [map.edges]);

  const focus = (id: string) => {
    setCurrent(id);
    void flow.fitView({ nodes: [{ id }], duration: 0, maxZoom: 1, minZoom: 0.6, padding: 2 });
    window.requestAnimationFrame(() => {
      box.current
        ?.querySelector<HTMLElement>(`[data-id="${CSS.escape(id)}"]`)
        ?.focus({ preventScroll: true });
    });
  };
  const open = (id: string) => {
    const href = places.find((place) => place.id === id)?.href;
    if (href) navigate(href);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const id = (event.target as HTMLElement).closest<HTMLElement>(".react-flow__node")?.dataset["id"];
    if (!id) return;
    if (event.key === "Enter") open(id);
    else if (event.key === "0") void flow.fitView(FIT);
    else if (isArrow(event.key)) {
      const shown = nodes.map(({ id: one, position, width = 0, height = 0 }) => ({
        id: one,
        ...position,
        width,
        height,
      }));
      const next = neighbour(shown, id, event.key);
      if (next) focus(next);
    } else return;
    event.preventDefault();
  };
  useImperativeHandle(goTo, () => () => {
    const first = places.find(({ id }) => found?.has(id));
    if (first) focus(first.id);
  });
  return (
    <div
      ref={box}
      className={classes["ground"]}
      data-far={isFar || undefined}
      data-moving={isMoving || undefined}
      onKeyDown={onKeyDown}
    >
      <ReactFlow<MapFlowNode>
        className={classes["flow"] ?? ""}
        nodes={nodes}
        edges={edges}
        nodeTypes={NODE_TYPES}
        onNodeClick={(_, { id }) => {
          open(id);
        }}
        onMoveStart={() => {
          setMoving(true);
        }}
        onMoveEnd={() => {
          setMoving(false);
        }}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        disableKeyboardA11y
        deleteKeyCode={null}
        zoomOnScroll={false}
        preventScrolling={false}
        minZoom={0.05}
        maxZoom={1.6}
        fitView
        fitViewOptions={FIT}
        aria-label="Map of the workspace"
      >
        <Dots />
        {isWide && (
          <MiniMap pannable zoomable ariaLabel="Overview of the map" style={{ width: 132, height: 88 }} />
        )}
      </ReactFlow>
    </div>
  );
}

/** Positions stay while nodes and edges do: only rates change from second to second. */
function usePositions(map: WorkspaceMap, direction: Direction) {
  const shape = [...map.nodes.map(({ id }) => id), ...map.edges.map(edgeId)].join("\n");
  // eslint-disable-next-line react-hooks/exhaustive-deps -- the shape is all that positions depend on
  return useMemo(() => positionsOf(map, direction), [shape, direction]);
}

function drawnEdge(edge: WorkspaceMap["edges"][number], count: number): Edge {
  const perSecond = edge.rows_per_second;
  return {
    id: edgeId(edge),
    source: edge.from,
    target: edge.to,
    ...(count <= LABELLED && perSecond !== null && { label: flowText(edge) }),
    style:
      perSecond === null
        ? {}
        : perSecond === 0
          ? { strokeDasharray: "2 5" }
          : { strokeWidth: 1 + Math.min(Math.log10(1 + perSecond), 5) },
  };
}
