/** What people type or load as records, line by line. No React. */

import type { Contract, NewRecord } from "../../api/types";

export interface ReadRecords { records: NewRecord[]; problem: string | null }

/**
 * Records of a file: one value a line. A line that is an object with `value` and nothing but the parts of a record
 * (`key`, `value`, `headers`, `partition`) is a whole record, as an export or another tool writes it.
 *
 * @param asObjects of a stream whose records no text can be (Avro): values are read as JSON, and the server writes them by the schema
 */
export function readLines(text: string, asObjects = false): ReadRecords {
  const records: NewRecord[] = [];
  for (const line of text.split(/\r?\n/)) {
    if (line.trim() === "") continue;
    const record = recordOf(line);
    records.push(asObjects ? withObject(record) : record);
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

/** A value that is the text of a JSON object, as that object; any other stays, and the contract says whether it may be. */
export function withObject(record: NewRecord): NewRecord {
  if (typeof record.value !== "string") return record;
  try {
    const parsed: unknown = JSON.parse(record.value);
    return typeof parsed === "object" && parsed !== null && !Array.isArray(parsed) ? { ...record, value: parsed } : record;
  } catch {
    return record;
  }
}

/** True where a record is binary, so that people write it as JSON and the server makes the bytes. */
export function writtenAsObjects(contract: Contract): boolean {
  return contract.format === "avro";
}
