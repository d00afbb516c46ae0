/** A record as it is typed, and the request that it becomes. No React. */

import type { Contract, NewRecord } from "../../../api/types";
import { encodingDraftOf, isAvro } from "../../streams/encoding-draft";

export type ValueAs = "json" | "text" | "base64" | "null";
export type KeyAs = "fields" | "text" | "base64" | "null";

export interface HeaderDraft {
  name: string;
  value: string;
  as: "text" | "base64" | "null";
}

export interface RecordDraft {
  value: string;
  valueAs: ValueAs;
  key: string;
  keyAs: KeyAs;
  headers: readonly HeaderDraft[];
  partition: number | null;
}

/** True if a record can't be text: the server encodes Avro and adds the schema ID of framed records. */
export function isStructured(contract: Contract): boolean {
  const encoding = encodingDraftOf(contract.encoding ?? { format: contract.format });
  return isAvro(encoding) || (encoding.framed && encoding.format !== "csv" && encoding.format !== "text");
}

const VALUE_LABELS: Readonly<Record<ValueAs, string>> = {
  json: "JSON (encoded with the schema)",
  text: "Text",
  base64: "Base64",
  null: "Null (tombstone)",
};
const KEY_LABELS: Readonly<Record<KeyAs, string>> = {
  fields: "Fields (JSON)",
  text: "Text",
  base64: "Base64",
  null: "No key",
};

/** Input forms of a value, the usual one first. */
export function valueWays(contract: Contract): { value: ValueAs; label: string }[] {
  const ways: readonly ValueAs[] = isStructured(contract)
    ? ["json", "base64", "null"]
    : ["text", "base64", "null"];
  return ways.map((value) => ({ value, label: VALUE_LABELS[value] }));
}

/** Input forms of a key, the usual one first. */
export function keyWays(contract: Contract): { value: KeyAs; label: string }[] {
  const ways: readonly KeyAs[] = contract.key?.length
    ? ["fields", "text", "base64", "null"]
    : ["null", "text", "base64"];
  return ways.map((value) => ({ value, label: KEY_LABELS[value] }));
}

function sample(type: string, now: Date): unknown {
  if (type === "string") return "text";
  if (type === "boolean") return true;
  if (type.startsWith("timestamp")) return now.toISOString();
  if (type === "date") return now.toISOString().slice(0, 10);
  if (type.startsWith("array")) return [];
  if (type.startsWith("map") || type.startsWith("struct")) return {};
  return type.startsWith("decimal") ? "1.00" : 1;
}

/** A record to begin with: sample values of the declared fields; of change events an envelope around them. */
export function emptyRecord(contract: Contract, now = new Date()): RecordDraft {
  const key = contract.key ?? [];
  const row = (names: Contract["fields"]) =>
    Object.fromEntries(names.map(({ name, type }) => [name, sample(type, now)]));
  const fields = row(contract.fields.filter(({ name }) => !key.includes(name)));
  const encoding = encodingDraftOf(contract.encoding ?? { format: contract.format });
  const value =
    encoding.format === "debezium" ? { op: "c", before: null, after: fields, ts_ms: now.getTime() } : fields;
  return {
    value:
      encoding.format === "csv" || encoding.format === "text"
        ? Object.values(fields).join(encoding.delimiter)
        : JSON.stringify(value, null, 2),
    valueAs: isStructured(contract) ? "json" : "text",
    key: key.length ? JSON.stringify(row(contract.fields.filter(({ name }) => key.includes(name)))) : "",
    keyAs: key.length ? "fields" : "null",
    headers: [],
    partition: null,
  };
}

/** A record as the request has it. Numbers are sent as typed, because JavaScript would round them. */
export function recordOf(draft: RecordDraft): NewRecord {
  return {
    ...valueOf(draft),
    ...keyOf(draft),
    ...(draft.headers.length > 0 && {
      headers: draft.headers.filter((header) => !isUnused(header)).map(headerOf),
    }),
    ...(draft.partition !== null && { partition: draft.partition }),
  };
}

export function valueOf({ value, valueAs }: Pick<RecordDraft, "value" | "valueAs">): NewRecord {
  if (valueAs === "null") return { value: null };
  if (valueAs === "json") return { value_json: value };
  return valueAs === "base64" ? { value_base64: value.trim() } : { value };
}

export function keyOf({ key, keyAs }: Pick<RecordDraft, "key" | "keyAs">): NewRecord {
  if (keyAs === "null") return {};
  if (keyAs === "fields") return { key_json: key };
  return keyAs === "base64" ? { key_base64: key.trim() } : { key };
}

/** A row of the form that nobody filled in. A header may have an empty name. */
export function isUnused({ name, value, as }: HeaderDraft): boolean {
  return name === "" && value === "" && as !== "null";
}

export function headerOf({ name, value, as }: HeaderDraft): NonNullable<NewRecord["headers"]>[number] {
  if (as === "null") return { name, value: null };
  return as === "base64" ? { name, value_base64: value.trim() } : { name, value };
}
