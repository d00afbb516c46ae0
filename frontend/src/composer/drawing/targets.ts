/** What can be connected with a node, for a list that is searched. No React. */

import { misfit, type Drawn, type Target } from "./fits";
import type { GraphNode } from "./graph";

export interface Link {
  key: string;
  group: string;
  label: string;
  does: string;
  reference: string;
  target: Target;
}

/** @returns the connections that fit: from each port of the node, then to each of its inputs */
export function linksOf(drawn: Drawn, id: string): Link[] {
  const node = drawn.graph.nodes.find((one) => one.id === id);
  if (!node) return [];
  const from = drawn.graph.nodes.flatMap((reader) => linksBetween(drawn, node, reader, "Rows go to"));
  const to = drawn.graph.nodes.flatMap((other) => linksBetween(drawn, other, node, "Rows come from"));
  return [...from, ...to];
}

function linksBetween(drawn: Drawn, node: GraphNode, reader: GraphNode, group: string): Link[] {
  const isFrom = group === "Rows go to";
  return node.ports.flatMap(({ reference }) =>
    reader.inputs
      .map(({ name, label }) => ({ label, target: { to: reader.id, input: name } }))
      .filter(({ target }) => misfit(drawn, reference, target) === null)
      .map(({ label, target }) => ({
        key: `${reference} ${target.to} ${target.input}`,
        group,
        label: isFrom ? reader.name : reference,
        does: [
          reader.inputs.length > 1 ? label : "",
          isFrom && reference !== node.name ? `from ${reference}` : "",
          occupied(drawn, target),
        ]
          .filter(Boolean)
          .join(", "),
        reference,
        target,
      })),
  );
}

/** What an input reads now, which a connection replaces. */
function occupied({ graph }: Drawn, { to, input }: Target): string {
  const isMany = graph.nodes.find(({ id }) => id === to)?.inputs.find(({ name }) => name === input)?.many;
  const now = graph.edges.find((edge) => edge.to === to && edge.input === input);
  return now && !isMany ? `instead of ${now.reference}` : "";
}
