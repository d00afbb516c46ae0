import { useEffect, useRef } from "react";
import { readOutline } from "../outline";
import { graphOf, type Graph } from "./graph";
import { isNodeName, renamedNodes } from "./positions";

/**
 * Lets a node that was renamed keep its place, whichever view renamed it.
 *
 * @param rename gets new names by old ones
 */
export function useRenamedPositions(
  text: string,
  rename: (names: ReadonlyMap<string, string>) => void,
): void {
  const known = useRef<Graph | null>(null);
  const tell = useRef(rename);
  useEffect(() => {
    tell.current = rename;
  }, [rename]);
  useEffect(() => {
    const reading = readOutline(text);
    // A text that is being typed may be no document; what comes next is compared with what was before it.
    if ("unsupported" in reading) return;
    const graph = graphOf(reading.outline);
    if (!graph.nodes.every(({ id }) => isNodeName(id))) return;
    const names = known.current === null ? new Map<string, string>() : renamedNodes(known.current, graph);
    known.current = graph;
    if (names.size) tell.current(names);
  }, [text]);
}
