/** What the registration form holds, and the request it becomes. No React. */

import { HOME } from "../../api/topics";
import type { EventTime, Inference, NewStream, SchemaField } from "../../api/types";

export interface DraftField extends SchemaField { id: number; notes: readonly string[]; examples: readonly string[] }

export interface StreamDraft {
  name: string;
  description: string;
  cluster: string;
  topic: string;
  create: boolean;
  partitions: number;
  retentionHours: number;
  fields: readonly DraftField[];
  eventTime: EventTime;
  delay: string;
  maxAhead: string;
}

export const EMPTY_DRAFT: StreamDraft = {
  name: "", description: "", cluster: HOME, topic: "", create: false, partitions: 2, retentionHours: 168,
  fields: [], eventTime: { kind: "append" }, delay: "10s", maxAhead: "1h",
};

export const TYPES = ["string", "long", "int", "double", "boolean", "decimal(18,2)", "timestamp", "date", "bytes"] as const;

let nextId = 0;

export function blankField(): DraftField {
  nextId += 1;
  return { id: nextId, name: "", type: "string", nullable: true, notes: [], examples: [] };
}

/** A topic's name as a stream's name: `shop.orders-v2` → `shop_orders_v2`. */
export function nameOf(topic: string): string {
  return topic.replace(/[^A-Za-z0-9]+/g, "_").replace(/^[^A-Za-z]+/, "").slice(0, 63);
}

export function withInference(draft: StreamDraft, inference: Inference): StreamDraft {
  const first = inference.event_time[0];
  return {
    ...draft,
    fields: inference.fields.map(({ name, type, nullable, notes, examples }) => ({ ...blankField(), name, type, nullable, notes, examples })),
    eventTime: first ? ruleOf(first) : { kind: "append" },
  };
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
      format: "json",
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
  if (!draft.fields.length) return "Declare at least one field.";
  const names = draft.fields.map(({ name }) => name);
  if (names.some((name) => !/^[A-Za-z][A-Za-z0-9_]{0,62}$/.test(name))) return "A field's name is a letter, then letters, digits and _.";
  if (new Set(names).size < names.length) return "Two fields have the same name.";
  if (draft.eventTime.kind === "field" && !names.includes(draft.eventTime.field ?? "")) return "The event-time field is not among the fields.";
  return null;
}
