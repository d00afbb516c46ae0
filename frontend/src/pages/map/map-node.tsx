import { Handle, Position, type Node, type NodeProps } from "@xyflow/react";
import type { Direction } from "../../composer/drawing/layout";
import { Badge } from "../../ui/status";
import type { Place } from "./map-graph";
import classes from "./map.module.css";

export interface MapNodeData extends Record<string, unknown> {
  place: Place;
  direction: Direction;
  /** found by the search; null: nothing is searched */
  isFound: boolean | null;
}
export type MapFlowNode = Node<MapNodeData, "place">;

/** A stream, table or job. Its height is fixed (map-layout.ts), so no line may wrap. */
export function MapNodeView({ data: { place, direction, isFound } }: NodeProps<MapFlowNode>) {
  const down = direction === "down";
  return (
    <div
      className={classes["node"]}
      data-kind={place.kind}
      data-tone={place.state?.tone}
      data-look={place.needsLook || undefined}
      data-found={isFound ?? undefined}
    >
      <Handle
        type="target"
        position={down ? Position.Top : Position.Left}
        isConnectable={false}
        className={classes["handle"] ?? ""}
      />
      <header>
        <b title={place.name}>{place.name}</b>
        {place.state ? (
          <Badge tone={place.state.tone} plain>
            {place.state.word}
          </Badge>
        ) : (
          <span>{place.title}</span>
        )}
      </header>
      {place.lines.map((line, at) => (
        <p key={at} title={line}>
          {line}
        </p>
      ))}
      <Handle
        type="source"
        position={down ? Position.Bottom : Position.Right}
        isConnectable={false}
        className={classes["handle"] ?? ""}
      />
    </div>
  );
}
