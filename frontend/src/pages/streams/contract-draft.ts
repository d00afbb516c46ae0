/** What the registration form holds, and the request it becomes. No React. */

import { HOME } from "../../api/topics";
import type { Contract, EventTime, Inference, NewStream, SchemaField, Stream } from "../../api/types";
import { encodingOf, JSON_DRAFT, missingOfEncoding, type EncodingDraft } from "./encoding-draft";

/** What a sample told of a field. */
export type Told = Omit<Inference["fields"][number], "name" | "type" | "nullable"> & { records: number };

export interface DraftField extends SchemaField { id: number; told: Told | null }

export interface StreamDraft {
  name: string;
  description: string;
  cluster: string;
  topic: string;
  create: boolean;
  partitions: number;
  retentionHours: number;
  encoding: EncodingDraft;
  fields: readonly DraftField[];
  eventTime: EventTime;
  delay: string;
  maxAhead: string;
}

export const EMPTY_DRAFT: StreamDraft = {
  name: "", description: "", cluster: HOME, topic: "", create: false, partitions: 2, retentionHours: 168,
  encoding: JSON_DRAFT, fields: [], eventTime: { kind: "append" }, delay: "10s", maxAhead: "1h",
};

export const TYPES = ["string", "long", "int", "double", "boolean", "decimal(18,2)", "timestamp", "date", "bytes"] as const;

let nextId = 0;

export function blankField(): DraftField {
  nextId += 1;
  return { id: nextId, name: "", type: "string", nullable: true, told: null };
}

/** A topic's name as a stream's name: `shop.orders-v2` → `shop_orders_v2`. */
export function nameOf(topic: string): string {
  return topic.replace(/[^A-Za-z0-9]+/g, "_").replace(/^[^A-Za-z]+/, "").slice(0, 63);
}

export function withInference(draft: StreamDraft, inference: Inference): StreamDraft {
  const first = inference.event_time[0];
  return {
    ...draft,
    fields: inference.fields.map(({ name, type, nullable, ...told }) => ({ ...blankField(), name, type, nullable, told: { ...told, records: inference.records } })),
    eventTime: first ? ruleOf(first) : { kind: "append" },
  };
}

/** A field with another name; an event time that is read from it follows. */
export function withRenamed(draft: StreamDraft, id: number, name: string): Pick<StreamDraft, "fields" | "eventTime"> {
  const before = draft.fields.find((field) => field.id === id)?.name;
  const follows = draft.eventTime.kind === "field" && before !== undefined && before !== "" && draft.eventTime.field === before;
  return {
    fields: draft.fields.map((field) => (field.id === id ? { ...field, name } : field)),
    eventTime: follows ? { ...draft.eventTime, field: name } : draft.eventTime,
  };
}

/** Another way to read the records: a text is one field; an event time of a change needs change events. */
export function withEncoding(draft: StreamDraft, encoding: EncodingDraft): StreamDraft {
  const next = { ...draft, encoding };
  if (encoding.format !== "debezium" && draft.eventTime.kind === "change") next.eventTime = { kind: "append" };
  if (encoding.format === "text" && !draft.fields.length) next.fields = [{ ...blankField(), name: "line" }];
  return next;
}

/** A registered stream's fields as a draft. */
export function draftOf(stream: Stream): StreamDraft {
  const fields = stream.contract.fields.map(({ name, type, nullable }) => ({ ...blankField(), name, type, nullable: nullable !== false }));
  return { ...EMPTY_DRAFT, name: stream.name, cluster: stream.cluster, topic: stream.topic, fields };
}

/** A stream's contract with the draft's fields, and with its format where another one was chosen: what the form does not hold stays. */
export function changedContract(contract: Contract, draft: StreamDraft, recoded: boolean): Contract {
  const fields = draft.fields.map(({ name, type, nullable }) => ({ name, type, nullable }));
  if (!recoded) return { ...contract, fields };
  const changed: Contract = { ...contract, encoding: encodingOf(draft.encoding), fields };
  delete changed.format; // the former format's name would contradict
  return changed;
}

/** The registry's subject by which a stream's values are read; null without one. */
export function subjectOf({ encoding }: Contract): string | null {
  const given = encoding as { subject?: string | null; inner?: { subject?: string | null } } | undefined;
  return given?.subject ?? given?.inner?.subject ?? null;
}

/** A draft with the fields of a schema's version; fields of the key stay, and what was said about a field that goes on. */
export function withColumns(draft: StreamDraft, columns: Contract["fields"], contract: Contract): StreamDraft {
  const before = new Map(draft.fields.map((field) => [field.name, field]));
  const names = new Set(columns.map(({ name }) => name));
  const kept = draft.fields.filter(({ name }) => (contract.key ?? []).includes(name) && !names.has(name));
  const taken = columns.map(({ name, type, nullable }) => ({ ...(before.get(name) ?? { ...blankField(), nullable: nullable !== false }), name, type }));
  return { ...draft, fields: [...kept, ...taken] };
}

/** A candidate without its reason. */
export function ruleOf({ kind, field, unit, format, zone, on_missing }: EventTime): EventTime {
  return { kind, ...(field && { field }), ...(unit && { unit }), ...(format && { format }), ...(zone && { zone }), ...(on_missing && { on_missing }) };
}

/** The event-time rule that fits a field of that type. */
export function ruleFor(field: SchemaField): EventTime {
  if (field.type === "string") return { kind: "field", field: field.name, format: "iso" };
  if (field.type === "timestamp" || field.type === "date") return { kind: "field", field: field.name };
  return { kind: "field", field: field.name, unit: "ms" };
}

export function requestOf(draft: StreamDraft): NewStream {
  return {
    name: draft.name,
    description: draft.description,
    cluster: draft.cluster,
    topic: draft.topic,
    create: draft.create ? { partitions: draft.partitions, retention_ms: Math.round(draft.retentionHours * 3_600_000) } : null,
    contract: {
      encoding: encodingOf(draft.encoding),
      fields: draft.fields.map(({ name, type, nullable }) => ({ name, type, nullable })),
      event_time: draft.eventTime,
      delay: draft.delay,
      max_ahead: draft.maxAhead || null,
    },
  };
}

/** What is still missing before it can be registered, in words; null when nothing is. */
export function missing(draft: StreamDraft): string | null {
  if (!draft.topic) return "Choose a topic.";
  if (!/^[A-Za-z][A-Za-z0-9_]{0,62}$/.test(draft.name)) return "Give the stream a name: a letter, then letters, digits and _.";
  const lacking = missingOfEncoding(draft.encoding);
  if (lacking) return lacking;
  if (!draft.fields.length) return "Declare at least one field.";
  const names = draft.fields.map(({ name }) => name);
  if (names.some((name) => !/^[A-Za-z][A-Za-z0-9_]{0,62}$/.test(name))) return "A field's name is a letter, then letters, digits and _.";
  if (new Set(names).size < names.length) return "Two fields have the same name.";
  if (draft.eventTime.kind === "field" && !names.includes(draft.eventTime.field ?? "")) return "The event-time field is not among the fields.";
  return null;
}
