/** What a window's grace period costs and saves, as text. No React. */

import type { Lateness } from "../api/types";
import { duration, parseDuration, roundedUp, seconds } from "../ui/format/durations";
import { inputsOf, nodeOf, type Outline, type SourceRow } from "../composer/outline";
import { lateText, stopOf } from "./delay-text";

/** Why shares aren't told where the fastest source moves the watermark. */
export const NOT_OF_ONE_STREAM =
  "The fastest source moves the watermark, so one stream doesn't tell how many of its rows are late.";

/** The streams whose rows reach a step; tables don't move the watermark. */
export function streamsBefore(outline: Outline, step: string): readonly SourceRow[] {
  const seen = new Set([step]);
  for (const name of seen) {
    const row = outline.steps.find((one) => one.name === name);
    for (const input of row ? inputsOf(row) : []) seen.add(nodeOf(input));
  }
  return outline.sources.filter(({ name, kind }) => kind === "stream" && seen.has(name));
}

/**
 * How many rows would be late, at most: slack of the steps before, as of a join, makes it fewer.
 *
 * @param delayS of the stream in this job, in s
 * @param graceS of the step, in s
 */
export function graceText(lateness: Lateness, delayS: number, graceS: number): string {
  const { late, records } = lateness;
  const chosen = late[stopOf(lateness, delayS + graceS)];
  if (!chosen || !records) return "There are no records to measure.";
  const grace = graceS ? `a grace period of ${seconds(graceS)}` : "no grace period";
  return `with a delay of ${seconds(delayS)} and ${grace}, ${lateText(chosen.share, records)}.`;
}

/**
 * @returns the grace in s that keeps late rows at what a proposed delay would, exactly as long as its text
 *   says; null: none is proposed
 */
export function proposedGrace({ proposed_seconds: proposed }: Lateness, delayS: number): number | null {
  if (proposed === null) return null;
  return proposed > delayS ? roundedUp((proposed - delayS) * 1_000) / 1_000 : 0;
}

/** The proposal as a sentence; empty where there is none. */
export function proposalText(graceS: number | null, delayS: number): string {
  if (graceS === null) return "";
  return graceS
    ? `A grace period of ${duration(graceS * 1_000)} keeps late rows at 0.1% or less.`
    : `The delay of ${seconds(delayS)} keeps late rows at 0.1% or less without a grace period.`;
}

/** Seconds of a duration as a document writes it; 0 for none. */
export function secondsOf(text: string): number {
  return (parseDuration(text) ?? 0) / 1_000;
}
