/** What a contract says of its bytes, in words. No React. */

import type { Contract } from "../../api/types";
import { encodingDraftOf, FORMATS, columnsOf, isAvro, hasJsonSchema } from "../streams/encoding-draft";

export interface EncodingText {
  /** `Avro`, `Debezium change events in Avro` */
  format: string;
  /** how a reader finds the schema, and other notes; may be empty */
  notes: string[];
  /** the registry's subject; null without one */
  subject: string | null;
}

/** How values or keys are written. */
export function encodingText(encoding: unknown): EncodingText {
  const draft = encodingDraftOf(encoding);
  const name = FORMATS.find(({ value }) => value === draft.format)?.label ?? draft.format;
  const notes: string[] = [];
  if (draft.format !== "csv" && draft.format !== "text")
    notes.push(draft.framed ? "Confluent wire format" : "no schema ID prefix");
  if (isAvro(draft)) notes.push(draft.subject ? "latest schema of subject" : "schema in the contract");
  if (hasJsonSchema(draft))
    notes.push(
      draft.subject ? "validated against subject" : "validated against the JSON Schema in the contract",
    );
  if (draft.format === "debezium")
    notes.push(`numeric timestamps in ${draft.timeUnit === "us" ? "µs" : draft.timeUnit}`);
  if (draft.format === "csv") {
    notes.push(
      `delimiter ${JSON.stringify(draft.delimiter)}, quote ${draft.quote}`,
      `${draft.nullText || "empty"} = null`,
    );
    if (draft.trim) notes.push("whitespace trimmed");
    const columns = columnsOf(draft);
    if (columns.length) notes.push(`columns ${columns.join(", ")}`);
  }
  return {
    format: draft.format === "debezium" ? `${name} in ${draft.inner === "avro" ? "Avro" : "JSON"}` : name,
    notes,
    subject: (isAvro(draft) || hasJsonSchema(draft)) && draft.subject ? draft.subject : null,
  };
}

/** What the records are to jobs. */
export function kindText(contract: Contract): { kind: string; note: string } {
  if (contract.kind !== "table") return { kind: "Append-only stream", note: "every record counts" };
  return {
    kind: "Table",
    note: contract.version_by === "event_time" ? "latest row per key by event time" : "latest row per key",
  };
}
