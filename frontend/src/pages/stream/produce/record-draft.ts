/** A record as it is typed, and the request that it becomes. No React. */

import type { Contract, NewRecord } from "../../../api/types";
import { columnsOf, encodingDraftOf, isAvro, type EncodingDraft } from "../../streams/encoding-draft";

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

type Field = Contract["fields"][number];
type Segment = string | number;

function sample({ type }: Field, now: Date): unknown {
  if (type === "string") return "text";
  if (type === "bytes") return "AA==";
  if (type === "boolean") return true;
  if (type.startsWith("timestamp")) return now.toISOString();
  if (type === "date") return now.toISOString().slice(0, 10);
  if (type.startsWith("array")) return [];
  if (type.startsWith("map") || type.startsWith("struct")) return {};
  return type.startsWith("decimal") ? "1.00" : 1;
}

function pathOf({ name, path }: Field): readonly Segment[] {
  return path?.length ? path : [name];
}

/** An object or array with a value at a path inside it; what is around stays. */
function withValueAt(around: unknown, [segment, ...inner]: readonly Segment[], value: unknown): unknown {
  if (segment === undefined) return value;
  if (typeof segment === "number") {
    const parts = Array.isArray(around) ? [...(around as unknown[])] : [];
    while (parts.length <= segment) parts.push(null);
    parts[segment] = withValueAt(parts[segment], inner, value);
    return parts;
  }
  const members = isObject(around) ? around : {};
  return { ...members, [segment]: withValueAt(members[segment], inner, value) };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Samples where the contract reads them; a field inside another comes after it. */
function rowOf(fields: readonly Field[], now: Date): unknown {
  return [...fields]
    .sort((one, other) => pathOf(one).length - pathOf(other).length)
    .reduce<unknown>((row, field) => withValueAt(row, pathOf(field), sample(field, now)), {});
}

/** A line with samples in the columns that the contract reads. */
function lineOf(fields: readonly Field[], encoding: EncodingDraft, now: Date): string {
  const cells = new Map(fields.map((field) => [String(pathOf(field)[0]), sample(field, now)]));
  const named = columnsOf(encoding);
  return (named.length ? named : [...cells.keys()])
    .map((column) => quoted(textOf(cells.get(column)), encoding))
    .join(encoding.delimiter);
}

function quoted(cell: string, { delimiter, quote }: EncodingDraft): string {
  return cell.includes(delimiter) || cell.includes(quote)
    ? quote + cell.replaceAll(quote, quote + quote) + quote
    : cell;
}

function textOf(value: unknown): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** A record to begin with: sample values of the declared fields; of change events an envelope around them. */
export function emptyRecord(contract: Contract, now = new Date()): RecordDraft {
  const key = contract.key ?? [];
  const fields = contract.fields.filter(({ name }) => !key.includes(name));
  const keyed = contract.fields.filter(({ name }) => key.includes(name));
  return {
    value: valueText(fields, encodingDraftOf(contract.encoding ?? { format: contract.format }), now),
    valueAs: isStructured(contract) ? "json" : "text",
    key: key.length
      ? JSON.stringify(Object.fromEntries(keyed.map((field) => [field.name, sample(field, now)])))
      : "",
    keyAs: key.length ? "fields" : "null",
    headers: [],
    partition: null,
  };
}

function valueText(fields: readonly Field[], encoding: EncodingDraft, now: Date): string {
  if (encoding.format === "csv") return lineOf(fields, encoding, now);
  if (encoding.format === "text") return fields.map((field) => textOf(sample(field, now))).join("");
  const row = rowOf(fields, now);
  const value =
    encoding.format === "debezium" ? { op: "c", before: null, after: row, ts_ms: now.getTime() } : row;
  return JSON.stringify(value, null, 2);
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
