/** The SQL of a document without sources, which the server refuses: only its settings. No React. */

import { readOutline, type OutlineResult } from "../outline";
import { stringSql } from "./text";

/** SET statements of an empty document; null for a document that has something in it. */
export function emptySql(text: string): string | null {
  const reading: OutlineResult = readOutline(text);
  if ("unsupported" in reading) return null;
  const { name, description, sources, steps, outputs, settings } = reading.outline;
  if (sources.length || steps.length || outputs.length) return null;
  const given = Object.entries({ name, description, ...settings }).filter(([, value]) => value !== "");
  return given
    .map(([option, value]) => `SET ${stringSql(option)} = ${stringSql(String(value))};\n`)
    .concat("\n")
    .join("");
}
