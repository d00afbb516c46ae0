/** Random edits of the examples: the text says after each edit what a plain model of the graph says. */

import { describe, expect, it } from "vitest";
import { syntaxProblems } from "../document-text";
import { commentsOf, EXAMPLES } from "./examples.test-data";
import { graphOf } from "./graph";
import { outlineOf } from "./graph-edits";
import { EDITS, modelOf, randomFrom, sorted, type Pick } from "./random-edits.test-data";

const ROUNDS = 25;
const SEEDS = [1, 2];

describe.each(EXAMPLES)("random edits of %s", (_name, start) => {
  it.each(SEEDS)("seed %i: text and graph stay one, comments stay", { timeout: 60_000 }, (seed) => {
    const random = randomFrom(seed);
    const pick: Pick = (from) => from[Math.floor(random() * from.length)];
    let text = start;
    for (let round = 0; round < ROUNDS; round += 1) {
      const outline = outlineOf(text);
      const graph = graphOf(outline);
      const made = pick(EDITS)?.({ text, outline, graph, pick });
      if (!made) continue;
      expect(syntaxProblems(made.text), made.text).toEqual([]);
      const now = graphOf(outlineOf(made.text));
      expect(sorted(modelOf(now)), `${text}\n---\n${made.text}`).toEqual(sorted(made.expected));
      for (const { id } of now.nodes)
        for (const comment of commentsOf(id))
          if (text.includes(comment)) expect(made.text).toContain(comment);
      text = made.text;
    }
    expect(text).not.toBe(start);
  });
});
