/** What happened to the rows of a step, in words. No React. */

import type { Preview, PreviewStep } from "../../api/types";
import { count, counted } from "../../ui/format/numbers";

export interface Loss {
  /** names the kind of loss */
  kind: "filtered" | "unmatched" | "late" | "null" | "no key" | "malformed";
  text: string;
  /** filtering is meant, the others are worth a look */
  isMeant: boolean;
}

/** What a step left out or could not compute, the meant ones first. */
export function lossesOf(step: PreviewStep, preview: Preview): Loss[] {
  const found: Loss[] = [];
  const add = (kind: Loss["kind"], rows: number, text: string, isMeant = false) => {
    if (rows > 0) found.push({ kind, text, isMeant });
  };
  add("filtered", step.filtered ?? 0, `${count(step.filtered)} filtered out`, true);
  add("unmatched", step.unmatched ?? 0, `${counted(step.unmatched, "row")} without a match`, true);
  add("late", step.late, `at least ${counted(step.late, "row")} late`);
  add("no key", step.keyless, `${counted(step.keyless, "row")} without a key`);
  for (const { expression, rows } of step.nulls_by_expression)
    add("null", rows, `${counted(rows, "row")} null by error in ${expression}`);
  if (step.nulls_by_expression.length === 0)
    add("null", step.nulls, `${counted(step.nulls, "row")} null by error`);
  const malformed = malformedOf(step, preview);
  add("malformed", malformed, `${counted(malformed, "record")} malformed`);
  return found;
}

/** Malformed records of a source; of a step 0. */
export function malformedOf(step: PreviewStep, preview: Preview): number {
  const source = step.op === "source" ? preview.sources.find(({ name }) => name === step.node) : undefined;
  return (source?.malformed ?? []).reduce((sum, { records }) => sum + records, 0);
}

/** Rows in, by input where there are several, and out of a step. */
export function flowText(step: PreviewStep): string {
  if (!step.known) return "not seen in a preview";
  const out = step.tombstones
    ? `${counted(step.rows, "row")} and ${counted(step.tombstones, "tombstone")} out`
    : `${counted(step.rows, "row")} out`;
  if (step.inputs.length > 1) return `${step.inputs.map(inputText).join(", ")}, ${out}`;
  return step.rows_in === null ? out : `${count(step.rows_in)} in, ${out}`;
}

function inputText({ reference, rows }: PreviewStep["inputs"][number]): string {
  return `${rows === null ? "unknown" : count(rows)} in from ${reference}`;
}
