/** How a stream's records are written, as the registration form holds it. No React. */

import type { RecordFormat } from "../../api/types";

export type TimeStep = "ms" | "us" | "ns";

export interface EncodingDraft {
  format: RecordFormat;
  /** of change events: how the event itself is written */
  inner: "json" | "avro";
  /** a magic byte and a schema's id stand before each record */
  framed: boolean;
  schemaFrom: "subject" | "text";
  subject: string;
  schema: string;
  delimiter: string;
  quote: string;
  nullText: string;
  trim: boolean;
  /**
   * of CSV: all columns in their order, separated by commas or line breaks; empty: the fields in their order
   */
  columns: string;
  timeUnit: TimeStep;
}

export const JSON_DRAFT: EncodingDraft = {
  format: "json",
  inner: "json",
  framed: false,
  schemaFrom: "subject",
  subject: "",
  schema: "",
  delimiter: ",",
  quote: '"',
  nullText: "",
  trim: false,
  columns: "",
  timeUnit: "us",
};

const FORMAT_TEXTS: Readonly<Record<RecordFormat, { label: string; about: string }>> = {
  json: { label: "JSON", about: "Each value is one JSON object." },
  avro: { label: "Avro", about: "Binary records with a schema. Jobs run in micro-batch mode." },
  csv: {
    label: "CSV",
    about: "Each value is one line of separated values, in the order of the fields below.",
  },
  text: { label: "Plain text", about: "The whole value is one string field." },
  debezium: {
    label: "Debezium change events",
    about: "Row-level changes of a table: the row after each change, no deletions.",
  },
};

/** As the form offers them, in this order. */
export const FORMATS = (Object.keys(FORMAT_TEXTS) as RecordFormat[]).map((value) => ({
  value,
  ...FORMAT_TEXTS[value],
}));

export function aboutFormat(format: RecordFormat): string {
  return FORMAT_TEXTS[format].about;
}

/** Another format; Avro is framed nearly always, JSON seldom. */
export function withFormat(draft: EncodingDraft, format: RecordFormat): EncodingDraft {
  const next = { ...draft, format, subject: "", schema: "" };
  return { ...next, framed: isAvro(next) };
}

export function withInner(draft: EncodingDraft, inner: EncodingDraft["inner"]): EncodingDraft {
  return { ...draft, inner, framed: inner === "avro" };
}

/** True where a schema says what the fields are. */
export function isAvro({ format, inner }: EncodingDraft): boolean {
  return format === "avro" || (format === "debezium" && inner === "avro");
}

/**
 * True if a sample can propose the fields: the fields of Avro come from its schema, and text is one field.
 */
export function canSample(draft: EncodingDraft): boolean {
  return !isAvro(draft) && draft.format !== "text";
}

/** True where JSON values are held to a schema, which also says what the fields are. */
export function hasJsonSchema({ format, subject, schema }: EncodingDraft): boolean {
  return format === "json" && (subject !== "" || schema.trim() !== "");
}

/** The contract's `encoding`. */
export function encodingOf(draft: EncodingDraft): Readonly<Record<string, unknown>> {
  const { format, delimiter, quote, nullText, trim, timeUnit } = draft;
  if (format === "csv") {
    const columns = columnsOf(draft);
    return { format, delimiter, quote, null_text: nullText, trim, ...(columns.length && { columns }) };
  }
  if (format === "text") return { format };
  const record = isAvro(draft)
    ? avroOf(draft)
    : { format: "json", framing: framingOf(draft), ...(format === "json" && schemaOf(draft)) };
  return format === "debezium" ? { format, time_unit: timeUnit, inner: record } : record;
}

/** The JSON Schema that every JSON value must fit; none where nobody named one. */
function schemaOf({ subject, schema }: EncodingDraft): { subject?: string; schema?: string } {
  if (subject) return { subject };
  return schema.trim() ? { schema } : {};
}

/** The columns of a CSV line that were named; none: the fields are the columns. */
export function columnsOf({ columns }: EncodingDraft): string[] {
  return columns
    .split(/[,\r\n]/)
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

/** A contract's encoding as the form holds it; what is no encoding that we know becomes JSON. */
export function encodingDraftOf(encoding: unknown): EncodingDraft {
  const source = (encoding ?? {}) as EncodingJson;
  const format = FORMATS.find(({ value }) => value === source.format)?.value ?? "json";
  const record = format === "debezium" ? (source.inner ?? {}) : source;
  return {
    ...JSON_DRAFT,
    format,
    inner: format === "debezium" && record.format === "avro" ? "avro" : "json",
    framed: record.framing === "confluent",
    schemaFrom: record.subject || !record.schema ? "subject" : "text",
    subject: record.subject ?? "",
    schema: record.subject ? "" : (record.schema ?? ""),
    delimiter: source.delimiter ?? JSON_DRAFT.delimiter,
    quote: source.quote ?? JSON_DRAFT.quote,
    nullText: source.null_text ?? "",
    trim: source.trim ?? false,
    columns: (source.columns ?? []).join(", "),
    timeUnit: source.time_unit ?? "us",
  };
}

interface EncodingJson {
  format?: string;
  framing?: string;
  subject?: string | null;
  schema?: string | null;
  inner?: EncodingJson;
  delimiter?: string;
  quote?: string;
  null_text?: string;
  trim?: boolean;
  columns?: string[] | null;
  time_unit?: TimeStep;
}

/**
 * The encoding of a draft. If nothing was changed it is the original one, with what the form doesn't show.
 */
export function encodingAfter(before: unknown, draft: EncodingDraft): unknown {
  return JSON.stringify(encodingOf(encodingDraftOf(before))) === JSON.stringify(encodingOf(draft))
    ? before
    : encodingOf(draft);
}

function avroOf(draft: EncodingDraft) {
  const { schemaFrom, subject, schema } = draft;
  return {
    format: "avro",
    framing: framingOf(draft),
    ...(schemaFrom === "subject" ? { subject } : { schema }),
  };
}

function framingOf({ framed }: EncodingDraft): "confluent" | "none" {
  return framed ? "confluent" : "none";
}

/** What is still missing, in words; null when nothing is. */
export function missingOfEncoding(draft: EncodingDraft): string | null {
  if (isAvro(draft)) {
    if (draft.schemaFrom === "subject") return draft.subject ? null : "Select the schema registry subject.";
    return draft.schema.trim() ? null : "Paste the schema.";
  }
  if (draft.format !== "csv") return null;
  if ([...draft.delimiter].length !== 1 || [...draft.quote].length !== 1)
    return "Delimiter and quote are one character each.";
  if (draft.delimiter === draft.quote) return "Delimiter and quote must differ.";
  const columns = columnsOf(draft);
  return new Set(columns).size < columns.length ? "Two columns have the same name." : null;
}
