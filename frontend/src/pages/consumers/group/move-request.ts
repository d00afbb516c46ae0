/** What the form for moving offsets asks for. No React. */

import type { MoveTarget, OffsetMove } from "../../../api/types";

export const TARGETS: readonly { value: MoveTarget; label: string }[] = [
  { value: "earliest", label: "Earliest: read everything again" },
  { value: "latest", label: "Latest: skip everything" },
  { value: "time", label: "To a time" },
  { value: "offset", label: "To an offset" },
  { value: "by", label: "By a number of records" },
];

export interface MoveDraft {
  target: MoveTarget;
  /** digits, with a sign for `by` */
  offset: string;
  /** as an input of type datetime-local writes it */
  time: string;
  /** empty: all topics */
  topic: string;
  /** empty: all partitions of the topic */
  partitions: string;
}

const MAX_PARTITIONS = 10_000;

/** `0, 3-5` → [0, 3, 4, 5]; empty for all; null where it can't be read. */
export function parsePartitions(text: string): number[] | null {
  if (!text.trim()) return [];
  const found: number[] = [];
  for (const part of text.split(",")) {
    const range = /^\s*(\d{1,6})(?:\s*[-–]\s*(\d{1,6}))?\s*$/.exec(part);
    if (!range) return null;
    const from = Number(range[1]);
    const to = Number(range[2] ?? range[1]);
    if (to < from || to - from >= MAX_PARTITIONS) return null;
    for (let number = from; number <= to; number += 1) found.push(number);
  }
  return found;
}

/** The request, or what is wrong with the draft. */
export function moveRequest(draft: MoveDraft): { body: Omit<OffsetMove, "dry_run"> } | { problem: string } {
  const partitions = parsePartitions(draft.partitions);
  if (!partitions) return { problem: "Partitions are numbers and ranges, e.g. 0, 3-5." };
  const scope = draft.topic ? { [draft.topic]: partitions } : null;
  if (draft.target === "time") {
    const at = new Date(draft.time);
    if (Number.isNaN(at.getTime())) return { problem: "Enter a time." };
    return { body: { target: "time", time: at.toISOString(), partitions: scope } };
  }
  if (draft.target === "offset" || draft.target === "by") {
    const offset = Number(draft.offset.replace("−", "-"));
    if (!draft.offset.trim() || !Number.isSafeInteger(offset)) return { problem: "Enter a whole number." };
    if (draft.target === "offset" && offset < 0) return { problem: "Offsets start at 0." };
    return { body: { target: draft.target, offset, partitions: scope } };
  }
  return { body: { target: draft.target, partitions: scope } };
}
