/** What the registration form holds, and the request it becomes. No React. */

import { HOME } from "../../api/topics";
import type { Contract, EventTime, Inference, NewStream, SchemaField, Stream, TimeField } from "../../api/types";
import { msOf, type Cleanup } from "../topics/retention";
import { parsePath, pathText, type SourcePath } from "../../api/source-path";
import { columnsOf, encodingAfter, encodingDraftOf, encodingOf, JSON_DRAFT, missingOfEncoding, type EncodingDraft } from "./encoding-draft";

/** Statistics of a field over the sampled records. */
export type SampleStats = Omit<Inference["fields"][number], "name" | "type" | "nullable" | "path"> & { records: number };

/** `readFrom`: where it is in the record, as people write it; empty: the member of its own name. */
export interface DraftField extends SchemaField { id: number; readFrom: string; sample: SampleStats | null }

export type Kind = "stream" | "table";

export interface StreamDraft {
  name: string;
  description: string;
  cluster: string;
  topic: string;
  create: boolean;
  partitions: number;
  /** null: for ever */
  retentionHours: number | null;
  cleanup: Cleanup;
  kind: Kind;
  encoding: EncodingDraft;
  fields: readonly DraftField[];
  /** names of fields that are read from the record's key, in its order */
  key: readonly string[];
  keyEncoding: EncodingDraft;
  versionBy: "offset" | "event_time";
  eventTime: EventTime;
  /** empty: the usual one; of a table, that it takes no part in the watermark */
  delay: string;
  maxAhead: string;
}

export const EMPTY_DRAFT: StreamDraft = {
  name: "", description: "", cluster: HOME, topic: "", create: false, partitions: 2, retentionHours: 168, cleanup: "delete", kind: "stream",
  encoding: JSON_DRAFT, fields: [], key: [], keyEncoding: JSON_DRAFT, versionBy: "offset", eventTime: { kind: "kafka_timestamp" }, delay: "10s", maxAhead: "1h",
};

export const TYPES = ["string", "long", "int", "double", "boolean", "decimal(18,2)", "timestamp", "date", "bytes"] as const;

let nextId = 0;

export function blankField(): DraftField {
  nextId += 1;
  return { id: nextId, name: "", type: "string", nullable: true, readFrom: "", sample: null };
}

/** A topic's name as a stream's name: `shop.orders-v2` → `shop_orders_v2`. */
export function nameOf(topic: string): string {
  return topic.replace(/[^A-Za-z0-9]+/g, "_").replace(/^[^A-Za-z]+/, "").slice(0, 63);
}

/** The fields that a sample of values showed; those of the key stay. */
export function withInference(draft: StreamDraft, inference: Inference): StreamDraft {
  const first = inference.event_time_candidates[0];
  const found = inference.fields.map(({ name, type, nullable, path, ...stats }) => ({ ...blankField(), name, type, nullable, readFrom: readFromOf(draft.encoding, path), sample: { ...stats, records: inference.records } }));
  return { ...draft, ...withKeyOf(draft, inference.key), fields: [...ofKey(draft, found), ...found], eventTime: first ? ruleOf(first) : { kind: "kafka_timestamp" } };
}

/** Keys are read as the sample shows them, unless somebody has said how: with a schema, or framed. */
function withKeyOf(draft: StreamDraft, { encoding }: Inference["key"]): Pick<StreamDraft, "keyEncoding"> {
  const untouched = JSON.stringify(draft.keyEncoding) === JSON.stringify(JSON_DRAFT);
  return { keyEncoding: encoding && untouched ? encodingDraftOf(encoding) : draft.keyEncoding };
}

/** A path as the form shows it; a line's column is its literal name. */
function readFromOf({ format }: EncodingDraft, path: SourcePath | null | undefined): string {
  if (!path) return "";
  return format === "csv" ? String(path[0]) : pathText(path);
}

/** Where a field is read from; undefined where the text is no path. */
export function pathOf(draft: Pick<StreamDraft, "encoding" | "key">, { name, readFrom }: DraftField): SourcePath | undefined {
  if (readFrom.trim() === "") return [name];
  return draft.encoding.format === "csv" && !draft.key.includes(name) ? [readFrom.trim()] : (parsePath(readFrom) ?? undefined);
}

/** Fields of the key that are not among others. */
function ofKey(draft: StreamDraft, others: readonly { name: string }[]): DraftField[] {
  const names = new Set(others.map(({ name }) => name));
  return draft.fields.filter(({ name }) => draft.key.includes(name) && !names.has(name));
}

/** A field with another name; an event time and a key that are read from it follow. */
export function withRenamed(draft: StreamDraft, id: number, name: string): Pick<StreamDraft, "fields" | "eventTime" | "key"> {
  const before = draft.fields.find((field) => field.id === id)?.name;
  const known = before !== undefined && before !== "";
  const follows = known && timeFieldsOf(draft.eventTime).includes(before);
  return {
    fields: draft.fields.map((field) => (field.id === id ? { ...field, name } : field)),
    eventTime: follows ? withTimeField(draft.eventTime, before, name) : draft.eventTime,
    key: known ? draft.key.map((one) => (one === before ? name : one)) : draft.key,
  };
}

/** The declared fields that an event time is read from. */
export function timeFieldsOf(rule: EventTime): string[] {
  if (rule.kind === "field") return rule.field ? [rule.field] : [];
  return rule.kind === "corrected" ? CLOCKS.flatMap((clock) => rule[clock]?.field ?? []) : [];
}

function withTimeField(rule: EventTime, before: string, name: string): EventTime {
  if (rule.kind === "field") return { ...rule, field: name };
  const renamed = (read: EventTime[Clock]) => (read?.field === before ? { ...read, field: name } : read);
  return ruleOf({ ...rule, device: renamed(rule.device), sent: renamed(rule.sent), received: renamed(rule.received) });
}

/** Without a field; a key does not name it any more. */
export function withoutField(draft: StreamDraft, id: number): Pick<StreamDraft, "fields" | "key"> {
  const gone = draft.fields.find((field) => field.id === id)?.name;
  return { fields: draft.fields.filter((field) => field.id !== id), key: draft.key.filter((name) => name !== gone) };
}

/** A table keeps the newest record of each key and needs no watermark; a stream of facts loses what is old and has one. */
export function withKind(draft: StreamDraft, kind: Kind): StreamDraft {
  if (kind === draft.kind) return draft;
  if (kind === "stream") return { ...draft, kind, versionBy: "offset", delay: draft.delay || "10s", cleanup: "delete", retentionHours: draft.retentionHours ?? 168 };
  return { ...draft, kind, delay: "", cleanup: "compact", retentionHours: null };
}

/** Where event time says which record is the newest, compaction would leave the wrong ones. */
export function withVersionBy(versionBy: StreamDraft["versionBy"]): Pick<StreamDraft, "versionBy" | "cleanup" | "retentionHours"> {
  return { versionBy, cleanup: versionBy === "event_time" ? "delete" : "compact", retentionHours: null };
}

/** Another way to read the records: a text is one field; an event time of a change needs change events. */
export function withEncoding(draft: StreamDraft, encoding: EncodingDraft): StreamDraft {
  const next = { ...draft, encoding };
  if (encoding.format !== "debezium" && draft.eventTime.kind === "change") next.eventTime = { kind: "kafka_timestamp" };
  if (encoding.format === "text" && !draft.fields.length) next.fields = [{ ...blankField(), name: "line" }];
  return next;
}

/** A registered stream as a draft. */
export function draftOf(stream: Stream): StreamDraft {
  const { contract } = stream;
  const encoding = encodingDraftOf(contract.encoding ?? { format: contract.format });
  const fields = contract.fields.map(({ name, type, nullable, path }) => ({ ...blankField(), name, type, nullable: nullable !== false, readFrom: readFromOf(encoding, path) }));
  return {
    ...EMPTY_DRAFT,
    name: stream.name, description: stream.description, cluster: stream.cluster, topic: stream.topic,
    kind: contract.kind ?? "stream",
    encoding,
    fields,
    key: contract.key ?? [],
    keyEncoding: encodingDraftOf(contract.key_encoding),
    versionBy: contract.version_by ?? "offset",
    eventTime: contract.event_time ? ruleOf(contract.event_time) : { kind: "kafka_timestamp" },
    delay: contract.delay ?? "",
    maxAhead: contract.max_ahead ?? "",
  };
}

/** What a draft says every record must be. */
export function contractOf(draft: StreamDraft): Contract {
  return {
    kind: draft.kind,
    encoding: encodingOf(draft.encoding),
    fields: draft.fields.map((field) => declared(draft, field)),
    ...(draft.key.length > 0 && { key: [...draft.key], key_encoding: encodingOf(draft.keyEncoding) }),
    ...(draft.kind === "table" && { version_by: draft.versionBy }),
    event_time: draft.eventTime,
    delay: draft.delay || null,
    max_ahead: draft.maxAhead || null,
  };
}

function declared(draft: StreamDraft, field: DraftField): Contract["fields"][number] {
  const { name, type, nullable } = field;
  const path = pathOf(draft, field);
  return path === undefined || (path.length === 1 && path[0] === name) ? { name, type, nullable } : { name, type, nullable, path: [...path] };
}

/** The contract that a changed draft means for a stream that is there. */
export function changedContract(contract: Contract, draft: StreamDraft): Contract {
  const changed = contractOf(draft);
  const encoding = encodingAfter(contract.encoding ?? { format: contract.format }, draft.encoding);
  return { ...changed, encoding, ...(draft.key.length > 0 && { key_encoding: encodingAfter(contract.key_encoding, draft.keyEncoding) }) };
}

/** The registry's subject by which a stream's values are read; null without one. */
export function subjectOf({ encoding }: Contract): string | null {
  const given = encoding as { subject?: string | null; inner?: { subject?: string | null } } | undefined;
  return given?.subject ?? given?.inner?.subject ?? null;
}

/** A draft with the fields of a schema's version; fields of the key stay, and what was said about a field that goes on. */
export function withColumns(draft: StreamDraft, columns: Contract["fields"]): StreamDraft {
  const before = new Map(draft.fields.map((field) => [field.name, field]));
  const taken = columns.map(({ name, type, nullable, path }) => ({ ...(before.get(name) ?? { ...blankField(), nullable: nullable !== false }), name, type, readFrom: readFromOf(draft.encoding, path) }));
  return { ...draft, fields: [...ofKey(draft, columns), ...taken] };
}

/** A draft whose key holds the fields of the key's schema, which are declared first. */
export function withKeyColumns(draft: StreamDraft, columns: Contract["fields"]): Pick<StreamDraft, "fields" | "key"> {
  const names = columns.map(({ name }) => name);
  const ofSchema = columns.map(({ name, type, path }) => ({ ...blankField(), name, type, nullable: false, readFrom: readFromOf(draft.keyEncoding, path) }));
  return { fields: [...ofSchema, ...draft.fields.filter(({ name }) => !names.includes(name))], key: names };
}

/** The readings that correct a device's clock: of the event and of the sending by that clock, of the receiving by one that is right. */
export const CLOCKS = ["device", "sent", "received"] as const;

export type Clock = (typeof CLOCKS)[number];

/** A candidate without its reason. */
export function ruleOf({ kind, field, unit, format, zone, device, sent, received, on_missing }: EventTime): EventTime {
  return {
    kind, ...(field && { field }), ...(unit && { unit }), ...(format && { format }), ...(zone && { zone }),
    ...(device && { device }), ...(sent && { sent }), ...(received && { received }), ...(on_missing && { on_missing }),
  };
}

/** The event-time rule that fits a field of that type. */
export function ruleFor(field: SchemaField): EventTime {
  return { kind: "field", ...timeFieldFor(field) };
}

/** How a field of that type holds an instant, most likely. */
export function timeFieldFor({ name, type }: SchemaField): TimeField {
  if (type === "string") return { field: name, format: "iso" };
  return type === "timestamp" || type === "date" ? { field: name } : { field: name, unit: "ms" };
}

export function requestOf(draft: StreamDraft): NewStream {
  return {
    name: draft.name,
    description: draft.description,
    cluster: draft.cluster,
    topic: draft.topic,
    create: draft.create ? { partitions: draft.partitions, retention_ms: draft.cleanup === "compact" ? null : msOf(draft.retentionHours), cleanup: draft.cleanup } : null,
    contract: contractOf(draft),
  };
}

/** What is still missing before it can be registered, in words; null when nothing is. */
export function missing(draft: StreamDraft): string | null {
  if (!draft.topic) return "Select a topic.";
  if (!/^[A-Za-z][A-Za-z0-9_]{0,62}$/.test(draft.name)) return "Enter a stream name: start with a letter and use letters, digits and _.";
  if (draft.create && draft.kind === "table" && draft.versionBy === "event_time" && draft.cleanup !== "delete") return "Compaction keeps the last offset, but this table uses event time. Set the cleanup policy to Delete.";
  return missingOfContract(draft);
}

/** What is still missing of the contract alone. */
export function missingOfContract(draft: StreamDraft): string | null {
  const lacking = missingOfEncoding(draft.encoding);
  if (lacking) return lacking;
  if (!draft.fields.length) return "Add at least one field.";
  const names = draft.fields.map(({ name }) => name);
  if (names.some((name) => !/^[A-Za-z][A-Za-z0-9_]{0,62}$/.test(name))) return "Field names start with a letter and use letters, digits and _.";
  if (new Set(names).size < names.length) return "Two fields have the same name.";
  const unreadable = draft.fields.find((field) => pathOf(draft, field) === undefined);
  if (unreadable) return `Invalid source path of ${unreadable.name}: ${unreadable.readFrom}. Use user.id, tags[0], or ["a.b"] for a name with a dot.`;
  const ofValue = draft.fields.filter(({ name }) => !draft.key.includes(name)).map((field) => String(pathOf(draft, field)?.[0]));
  const absent = columnsOf(draft.encoding).length > 0 && draft.encoding.format === "csv" ? ofValue.find((name) => !columnsOf(draft.encoding).includes(name)) : undefined;
  if (absent) return `Column ${absent} isn't in the column list.`;
  if (draft.kind === "table" && !draft.key.length) return "A table needs key fields. Select them under Key fields.";
  const lackingKey = draft.key.length ? missingOfEncoding(draft.keyEncoding) : null;
  if (lackingKey) return `Key: ${lackingKey}`;
  if (draft.keyEncoding.format === "text" && draft.key.length > 1) return "A text key has one field. Use JSON or Avro for several.";
  const { eventTime } = draft;
  if (eventTime.kind === "field" && !eventTime.field) return "Select the event time field.";
  if (eventTime.kind === "corrected" && !(eventTime.device && eventTime.sent)) return "Select the event timestamp and the send timestamp.";
  if (timeFieldsOf(eventTime).some((name) => !names.includes(name))) return "The event time field isn't in the field list.";
  return null;
}
