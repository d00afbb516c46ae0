import { useMemo, useState } from "react";
import { ownValue } from "../../api/own-value";
import type { CheckedNode, Problem, StateForecast } from "../../api/types";
import { schemaOf } from "../form/step-editor";
import { nodeOf, type Outline } from "../outline";
import type { EdgeData, NodeData } from "./flow";
import { graphOf, type Graph } from "./graph";
import { layOut, type Direction, type Position, type Size } from "./layout";
import { sameSizes, sizeOf } from "./node-size";
import { liveNodes, rateText, type LiveNode, type RunNumbers } from "./live-facts";
import { nodeTextOf, spokenText } from "./node-text";
import { previewNodes, type Previewed } from "./preview-facts";

export interface Picture {
  graph: Graph;
  data: ReadonlyMap<string, NodeData>;
  edges: ReadonlyMap<string, EdgeData>;
  sizes: ReadonlyMap<string, Size>;
  /** automatic positions */
  layout: ReadonlyMap<string, Position>;
  /** nodes for screen readers */
  labels: ReadonlyMap<string, string>;
}
interface PictureOf {
  outline: Outline;
  nodes: readonly CheckedNode[];
  problems: readonly Problem[];
  forecast: readonly StateForecast[];
  /** what the running job tells; left out where the drawing is edited */
  run?: RunNumbers;
  /** of the document that is edited; null: there is none */
  previewed?: Previewed | null;
  /** nodes whose fields are all shown */
  open: ReadonlySet<string>;
  direction: Direction;
}

const NO_NODES: ReadonlyMap<string, LiveNode> = new Map();
/** A running job has the estimate beside what it keeps. */
const NO_FORECAST: readonly StateForecast[] = [];
const NOTHING: LiveNode = { facts: [], flow: "unknown" };

/** What is drawn of a document: its graph, what stands in the nodes, and the automatic layout. */
export function usePicture({
  outline,
  nodes,
  problems,
  forecast,
  run,
  previewed,
  open,
  direction,
}: PictureOf): Picture {
  const graph = useMemo(() => graphOf(outline, nodes), [outline, nodes]);
  const live = useMemo(() => {
    if (run !== undefined) return liveNodes(graph, outline.steps, run, forecast, nodes);
    return previewed ? previewNodes(graph, previewed) : NO_NODES;
  }, [graph, outline.steps, nodes, run, previewed, forecast]);
  const data = useMemo(
    () =>
      new Map(
        graph.nodes.map((node): [string, NodeData] => [
          node.id,
          {
            node,
            text: nodeTextOf(node, {
              outline,
              nodes,
              problems,
              forecast: run === undefined ? forecast : NO_FORECAST,
            }),
            live: live.get(node.id) ?? NOTHING,
            isOpen: open.has(node.id),
            direction,
          },
        ]),
      ),
    [graph, outline, nodes, problems, forecast, run, live, open, direction],
  );
  const edges = useMemo(
    () =>
      new Map(
        graph.edges.map((edge): [string, EdgeData] => {
          const isChecked = nodes.some(({ name }) => name === nodeOf(edge.reference));
          return [
            edge.id,
            {
              edge,
              fields: isChecked ? schemaOf(nodes, edge.reference) : null,
              ...(run !== undefined && {
                rate: rateText(run, edge.reference),
                perSecond: ownValue(run?.given ?? {}, edge.reference) ?? null,
              }),
            },
          ];
        }),
      ),
    [graph, nodes, run],
  );
  const measured = useMemo(
    () =>
      new Map(
        [...data].map(
          ([
            id,
            {
              node,
              text,
              isOpen,
              live: { facts },
            },
          ]) => [id, sizeOf(node, text, isOpen, facts.length)],
        ),
      ),
    [data],
  );
  // Numbers of a run come each second and rarely change a size, on which the whole layout depends.
  const [kept, setKept] = useState<ReadonlyMap<string, Size>>(measured);
  const sizes = sameSizes(kept, measured) ? kept : measured;
  if (sizes !== kept) setKept(sizes);
  const layout = useMemo(
    () => layOut(graph, (id) => sizes.get(id) ?? { width: 0, height: 0 }, direction),
    [graph, sizes, direction],
  );
  const labels = useMemo(() => spokenLabels(graph, data), [graph, data]);
  return { graph, data, edges, sizes, layout, labels };
}

function spokenLabels(graph: Graph, data: ReadonlyMap<string, NodeData>): ReadonlyMap<string, string> {
  return new Map(
    [...data].map(([id, { node, text, live }]) => {
      const reads = graph.edges.filter(({ to }) => to === id).map(({ reference }) => reference);
      const facts = [...(text.facts ?? []), ...live.facts];
      return [id, spokenText(node, { ...text, facts }, reads)];
    }),
  );
}
