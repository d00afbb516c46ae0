/** Why a record is malformed, in words. */

const WORDS: Readonly<Record<string, string>> = {
  VALUE_NULL: "No value",
  TOO_LARGE: "Larger than 1 MB",
  NOT_FRAMED: "Missing schema ID prefix",
  SCHEMA_UNKNOWN: "Unknown schema ID",
  SCHEMA_MISMATCH: "Incompatible schema",
  NOT_AVRO: "Not Avro",
  NOT_TEXT: "Not UTF-8 text",
  NOT_CSV: "Not CSV",
  COLUMN_COUNT: "Wrong column count",
  NOT_JSON: "Not JSON",
  TOO_DEEP: "Nested too deeply",
  NOT_OBJECT: "Not a JSON object",
  NOT_CHANGE: "Not a change event",
  FIELD_TYPE: "Wrong field type",
  KEY_NULL: "No key",
  KEY_INVALID: "Invalid key",
  FIELD_MISSING: "Missing required field",
  TIME_MISSING: "No event time",
  TIME_RANGE: "Event time out of range",
  TIME_AHEAD: "Event time too far in the future",
};

/** A reason that a newer server may know and we do not is shown by its code alone. */
export function reasonText(reason: string): string {
  return WORDS[reason] ?? "";
}
