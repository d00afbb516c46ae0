/** What each source gives to a preview: how it is chosen, and how it is asked for. No React. */

import { ownValue } from "../../api/own-value";
import type { SourceChoice } from "../../api/types";

export interface Choice {
  kind: SourceChoice["kind"];
  records: number;
  /** local date and time, as an input of the browser writes it */
  time: string;
  key: string;
  lines: string;
}

export const KINDS: readonly { value: NonNullable<SourceChoice["kind"]>; label: string }[] = [
  { value: "newest", label: "Newest records" },
  { value: "time", label: "From a time" },
  { value: "key", label: "With a key" },
  { value: "sample", label: "The stream's own sample" },
  { value: "lines", label: "Typed, or from a file" },
];

export const NEWEST: Choice = { kind: "newest", records: 200, time: "", key: "", lines: "" };

/** Most records of all sources of a preview together. */
export const MAX_RECORDS = 1_000;
/** Largest file that is read into the browser. */
export const MAX_FILE_BYTES = 400_000;

/** Why a choice cannot be asked for; null: it can. */
export function missing(choice: Choice): string | null {
  if (choice.kind === "time" && Number.isNaN(Date.parse(choice.time))) return "Enter a date and time.";
  if (choice.kind === "key" && !choice.key) return "Enter a key.";
  if (choice.kind === "lines" && !choice.lines.trim()) return "Enter at least one record.";
  return null;
}

/** The choices of these sources in the API's form. */
export function requested(
  sources: readonly string[],
  choices: Readonly<Record<string, Choice>>,
): Record<string, SourceChoice> {
  return Object.fromEntries(sources.map((name) => [name, request(ownValue(choices, name) ?? NEWEST)]));
}

function request({ kind, records, time, key, lines }: Choice): SourceChoice {
  const asked: SourceChoice = {
    kind,
    records: Math.min(MAX_RECORDS, Math.max(1, Math.round(records) || 1)),
    key: "",
    key_as: "auto",
    lines: "",
  };
  switch (kind) {
    case "time":
      return { ...asked, time_ms: Date.parse(time) };
    case "key":
      return { ...asked, key };
    case "lines":
      return { ...asked, lines };
    default:
      return asked;
  }
}
