/** What people type or load as records, line by line. No React. */

import type { NewRecord } from "../../api/types";

export interface ReadRecords { records: NewRecord[]; problem: string | null }

/**
 * Records of a file: one value a line. A line that is an object with `value` and nothing but the parts of a record
 * (`key`, `value`, `headers`, `partition`) is a whole record, as an export or another tool writes it.
 */
export function readLines(text: string): ReadRecords {
  const records: NewRecord[] = [];
  for (const line of text.split(/\r?\n/)) {
    if (line.trim() === "") continue;
    records.push(recordOf(line));
  }
  return { records, problem: records.length ? null : "There is no record in it." };
}

const PARTS = new Set(["key", "value", "headers", "partition"]);

function recordOf(line: string): NewRecord {
  try {
    const parsed: unknown = JSON.parse(line);
    if (typeof parsed === "object" && parsed !== null && "value" in parsed && Object.keys(parsed).every((name) => PARTS.has(name))) return parsed;
  } catch {
    // Not JSON: the line is the value, and the contract says whether it may be.
  }
  return { value: line };
}
