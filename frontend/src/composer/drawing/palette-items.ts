/** What the palette offers, by group. No React. */

import { GROUPS } from "../operator-fields";
import { OPERATORS } from "../operators";
import type { Outline, SourceRow } from "../outline";
import type { Item } from "./graph-edits";

export interface Offer {
  key: string;
  group: string;
  label: string;
  /** what it does, in a few words */
  does: string;
  item: Item;
}

/**
 * @param operators names of the operators that the server can run
 * @param streams what the workspace has registered
 * @returns operators by group, then streams and tables, then outputs
 */
export function offersOf(
  operators: ReadonlySet<string>,
  streams: readonly { name: string; kind: SourceRow["kind"] }[],
  outline: Outline,
): Offer[] {
  const steps = GROUPS.flatMap((group) =>
    Object.entries(OPERATORS)
      .filter(([op, operator]) => operator.group === group && operators.has(op))
      .map(([op, { title, does }]): Offer => {
        return { key: `step ${op}`, group, label: title, does, item: { kind: "step", op } };
      }),
  );
  const sources = streams.map(({ name, kind }): Offer => {
    return {
      key: `source ${name}`,
      group: "Sources",
      label: name,
      does: kind,
      item: { kind: "source", of: name, source: kind },
    };
  });
  const hasLive = outline.outputs.some(({ topic }) => topic === null);
  return [...sources, ...steps, ...(hasLive ? [] : [LIVE]), TOPIC];
}

const LIVE: Offer = {
  key: "output result",
  group: "Outputs",
  label: "Live result",
  does: "shown live, served over REST",
  item: { kind: "output", op: "result" },
};
const TOPIC: Offer = {
  key: "output topic",
  group: "Outputs",
  label: "Topic output",
  does: "write rows to a topic",
  item: { kind: "output", op: "topic" },
};

/** The offers with all words of a search in their texts. */
export function matching(offers: readonly Offer[], search: string): Offer[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return offers.filter(({ label, does, group, key }) => {
    const text = `${label} ${does} ${group} ${key}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
