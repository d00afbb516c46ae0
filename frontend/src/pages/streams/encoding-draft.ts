/** How a stream's records are written, as the registration form holds it. No React. */

export type FormatName = "json" | "avro" | "csv" | "text" | "debezium";
export type TimeStep = "ms" | "us" | "ns";

export interface EncodingDraft {
  format: FormatName;
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
  timeUnit: TimeStep;
}

export const JSON_DRAFT: EncodingDraft = {
  format: "json", inner: "json", framed: false, schemaFrom: "subject", subject: "", schema: "",
  delimiter: ",", quote: "\"", nullText: "", trim: false, timeUnit: "us",
};

export const FORMATS: readonly { value: FormatName; label: string; about: string }[] = [
  { value: "json", label: "JSON", about: "Each value is one JSON object." },
  { value: "avro", label: "Avro", about: "Binary records, read by a schema. Jobs over it run in micro-batch mode." },
  { value: "csv", label: "CSV", about: "Each value is one line of separated values, in the order of the fields below." },
  { value: "text", label: "Plain text", about: "The whole value is one text; steps of a job take it apart." },
  { value: "debezium", label: "Debezium change events", about: "Of a table; the row after each change, no deletions." },
];

export function aboutFormat(format: FormatName): string {
  return FORMATS.find(({ value }) => value === format)?.about ?? "";
}

/** Another format; Avro is framed nearly always, JSON seldom. */
export function withFormat(draft: EncodingDraft, format: FormatName): EncodingDraft {
  const next = { ...draft, format };
  return { ...next, framed: isAvro(next) };
}

export function withInner(draft: EncodingDraft, inner: EncodingDraft["inner"]): EncodingDraft {
  return { ...draft, inner, framed: inner === "avro" };
}

/** True where a schema says what the fields are. */
export function isAvro({ format, inner }: EncodingDraft): boolean {
  return format === "avro" || (format === "debezium" && inner === "avro");
}

/** True where a sample of the topic can propose the fields: a schema says what Avro holds, and a plain text is one field. */
export function canSample(draft: EncodingDraft): boolean {
  return !isAvro(draft) && draft.format !== "text";
}

/** The contract's `encoding`. */
export function encodingOf(draft: EncodingDraft): Readonly<Record<string, unknown>> {
  const { format, delimiter, quote, nullText, trim, timeUnit } = draft;
  if (format === "csv") return { format, delimiter, quote, null_text: nullText, trim };
  if (format === "text") return { format };
  const record = isAvro(draft) ? avroOf(draft) : { format: "json", framing: framingOf(draft) };
  return format === "debezium" ? { format, time_unit: timeUnit, inner: record } : record;
}

function avroOf(draft: EncodingDraft) {
  const { schemaFrom, subject, schema } = draft;
  return { format: "avro", framing: framingOf(draft), ...(schemaFrom === "subject" ? { subject } : { schema }) };
}

function framingOf({ framed }: EncodingDraft): "confluent" | "none" {
  return framed ? "confluent" : "none";
}

/** What is still missing, in words; null when nothing is. */
export function missingOfEncoding(draft: EncodingDraft): string | null {
  if (isAvro(draft)) {
    if (draft.schemaFrom === "subject") return draft.subject ? null : "Choose the subject whose schema the records have.";
    return draft.schema.trim() ? null : "Paste the schema of the records.";
  }
  if (draft.format !== "csv") return null;
  if ([...draft.delimiter].length !== 1 || [...draft.quote].length !== 1) return "Delimiter and quote are one character each.";
  return draft.delimiter === draft.quote ? "Delimiter and quote must differ." : null;
}
