/** What the form of a contract holds, and what its inputs change. No React. */

import { HOME } from "../../api/topics";
import type { Contract, EventTime, Inference, SchemaField, Stream } from "../../api/types";
import type { Cleanup } from "../topics/retention";
import { parsePath, pathText, type SourcePath } from "../../api/source-path";
import { encodingDraftOf, JSON_DRAFT, type EncodingDraft } from "./encoding-draft";
import { ruleOf } from "./event-time-rule";

/** Statistics of a field over the sampled records. */
export type SampleStats = Omit<Inference["fields"][number], "name" | "type" | "nullable" | "path"> & {
  records: number;
};

/** `readFrom`: where it is in the record, as people write it; empty: the member of its own name. */
export interface DraftField extends SchemaField {
  id: number;
  readFrom: string;
  sample: SampleStats | null;
  /** what key and event time call it while it has no name, or another field's; left out: its name */
  knownAs?: string;
}

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
  /** the fields as a sample, a schema or the saved contract has them, as `fieldsText`; left out: none has */
  taken?: string;
  /** names of fields that are read from the record's key, in its order */
  key: readonly string[];
  keyEncoding: EncodingDraft;
  versionBy: "offset" | "event_time";
  /** with what its fields' types can't have now and may have again, such as the unit of a number */
  eventTime: EventTime;
  /** empty: the usual one; of a table, that it takes no part in the watermark */
  delay: string;
  maxAhead: string;
}

/** What an input changes; a function where it answers later, when the draft may be another one. */
export type Part = Partial<StreamDraft> | ((before: StreamDraft) => Partial<StreamDraft>);

export const EMPTY_DRAFT: StreamDraft = {
  name: "",
  description: "",
  cluster: HOME,
  topic: "",
  create: false,
  partitions: 2,
  retentionHours: 168,
  cleanup: "delete",
  kind: "stream",
  encoding: JSON_DRAFT,
  fields: [],
  key: [],
  keyEncoding: JSON_DRAFT,
  versionBy: "offset",
  eventTime: { kind: "kafka_timestamp" },
  delay: "10s",
  maxAhead: "1h",
};

export const TYPES = [
  "string",
  "long",
  "int",
  "double",
  "boolean",
  "decimal(18,2)",
  "timestamp",
  "date",
  "bytes",
] as const;

// A draft is kept over reloads, so that a new page may not give its ids again.
let nextId = Date.now();

export function blankField(): DraftField {
  nextId += 1;
  return { id: nextId, name: "", type: "string", nullable: true, readFrom: "", sample: null };
}

/** A topic's name as a stream's name: `shop.orders-v2` → `shop_orders_v2`. */
export function nameOf(topic: string): string {
  return topic
    .replace(/[^A-Za-z0-9]+/g, "_")
    .replace(/^[^A-Za-z]+/, "")
    .slice(0, 63);
}

/** Another topic, with its name for the stream as long as the user gave it none. */
export function withTopic(draft: StreamDraft, topic: string): Pick<StreamDraft, "topic" | "name"> {
  const isOwn = draft.name !== "" && draft.name !== nameOf(draft.topic);
  return { topic, name: isOwn ? draft.name : nameOf(topic) };
}

function fieldsText(fields: StreamDraft["fields"]): string {
  return JSON.stringify(fields.map(({ name, type, nullable, readFrom }) => [name, type, nullable, readFrom]));
}

/** Fields as something else than the user has them. */
function takenFields(fields: StreamDraft["fields"]): Pick<StreamDraft, "fields" | "taken"> {
  return { fields, taken: fieldsText(fields) };
}

/** Whether the user has typed something that is lost when the fields are taken from elsewhere. */
export function hasOwnFields({ fields, taken }: Pick<StreamDraft, "fields" | "taken">): boolean {
  return fields.length > 0 && fieldsText(fields) !== taken;
}

/** Whether the user has typed something into the fields since they agreed to lose those of `agreed`. */
export function hasNewerFields(draft: StreamDraft, agreed: StreamDraft): boolean {
  return hasOwnFields(draft) && fieldsText(draft.fields) !== fieldsText(agreed.fields);
}

/** The fields that a sample of values showed; those of the key stay. */
export function withInference(draft: StreamDraft, inference: Inference): StreamDraft {
  const first = inference.event_time_candidates[0];
  const found = inference.fields.map(({ name, type, nullable, path, ...stats }) => ({
    ...blankField(),
    name,
    type,
    nullable,
    readFrom: readFromOf(draft.encoding, path),
    sample: { ...stats, records: inference.records },
  }));
  return {
    ...draft,
    ...withKeyOf(draft, inference.key),
    ...takenFields([...ofKey(draft, found), ...found]),
    eventTime: first ? ruleOf(first) : { kind: "kafka_timestamp" },
  };
}

/** Keys get the encoding of the sample, unless the user has set one. */
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
export function pathOf(
  draft: Pick<StreamDraft, "encoding" | "key">,
  { name, readFrom }: DraftField,
): SourcePath | undefined {
  if (readFrom.trim() === "") return [name];
  return draft.encoding.format === "csv" && !draft.key.includes(name)
    ? [readFrom.trim()]
    : (parsePath(readFrom) ?? undefined);
}

/** Fields of the key that are not among others. */
function ofKey(draft: StreamDraft, others: readonly { name: string }[]): DraftField[] {
  const names = new Set(others.map(({ name }) => name));
  return draft.fields.filter(({ name }) => draft.key.includes(name) && !names.has(name));
}

/**
 * A table keeps the latest record per key and needs no watermark; an event stream drops late rows and has
 * one.
 */
export function withKind(draft: StreamDraft, kind: Kind): StreamDraft {
  if (kind === draft.kind) return draft;
  if (kind === "stream")
    return {
      ...draft,
      kind,
      versionBy: "offset",
      delay: draft.delay || "10s",
      cleanup: "delete",
      retentionHours: draft.retentionHours ?? 168,
    };
  return { ...draft, kind, delay: "", cleanup: "compact", retentionHours: null };
}

/** Where event time says which record is the newest, compaction would leave the wrong ones. */
export function withVersionBy(
  versionBy: StreamDraft["versionBy"],
): Pick<StreamDraft, "versionBy" | "cleanup" | "retentionHours"> {
  return { versionBy, cleanup: versionBy === "event_time" ? "delete" : "compact", retentionHours: null };
}

/** Another way to read the records: a text is one field; an event time of a change needs change events. */
export function withEncoding(draft: StreamDraft, encoding: EncodingDraft): StreamDraft {
  const next = { ...draft, encoding };
  if (encoding.format !== "debezium" && draft.eventTime.kind === "change")
    next.eventTime = { kind: "kafka_timestamp" };
  if (encoding.format === "text" && !draft.fields.length)
    Object.assign(next, takenFields([{ ...blankField(), name: "line" }]));
  return next;
}

/** A registered stream as a draft. */
export function draftOf(stream: Stream): StreamDraft {
  const { contract } = stream;
  const encoding = encodingDraftOf(contract.encoding ?? { format: contract.format });
  const fields = contract.fields.map(({ name, type, nullable, path }, at) => ({
    ...blankField(),
    id: -1 - at, // by its place, so that two drafts of one contract are the same
    name,
    type,
    nullable: nullable !== false,
    readFrom: readFromOf(encoding, path),
  }));
  return {
    ...EMPTY_DRAFT,
    name: stream.name,
    description: stream.description,
    cluster: stream.cluster,
    topic: stream.topic,
    kind: contract.kind ?? "stream",
    encoding,
    ...takenFields(fields),
    key: contract.key ?? [],
    keyEncoding: encodingDraftOf(contract.key_encoding),
    versionBy: contract.version_by ?? "offset",
    eventTime: contract.event_time ? ruleOf(contract.event_time) : { kind: "kafka_timestamp" },
    delay: contract.delay ?? "",
    maxAhead: contract.max_ahead ?? "",
  };
}

/**
 * A draft with the fields of a schema version. Key fields stay, and so do the settings of fields that remain.
 */
export function withColumns(draft: StreamDraft, columns: Contract["fields"]): StreamDraft {
  const before = new Map(draft.fields.map((field) => [field.name, field]));
  const taken = columns.map(({ name, type, nullable, path }) => ({
    ...(before.get(name) ?? { ...blankField(), nullable: nullable !== false }),
    name,
    type,
    readFrom: readFromOf(draft.encoding, path),
    knownAs: undefined,
  }));
  return { ...draft, ...takenFields([...ofKey(draft, columns), ...taken]) };
}

/** A draft whose key holds the fields of the key's schema, which are declared first. */
export function withKeyColumns(
  draft: StreamDraft,
  columns: Contract["fields"],
): Pick<StreamDraft, "fields" | "taken" | "key"> {
  const names = columns.map(({ name }) => name);
  const ofSchema = columns.map(({ name, type, path }) => ({
    ...blankField(),
    name,
    type,
    nullable: false,
    readFrom: readFromOf(draft.keyEncoding, path),
  }));
  const fields = [...ofSchema, ...draft.fields.filter(({ name }) => !names.includes(name))];
  return { ...(hasOwnFields(draft) ? { fields } : takenFields(fields)), key: names };
}
