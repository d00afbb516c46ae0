/** Why a record is malformed, in words. */

const WORDS: Readonly<Record<string, string>> = {
  VALUE_NULL: "has no value",
  TOO_LARGE: "larger than 1 MB",
  NOT_FRAMED: "does not begin with a schema id",
  SCHEMA_UNKNOWN: "its schema id is not known",
  SCHEMA_MISMATCH: "its schema cannot be read as the stream's",
  NOT_AVRO: "not Avro",
  NOT_TEXT: "not UTF-8 text",
  NOT_CSV: "not CSV",
  COLUMN_COUNT: "another number of columns",
  NOT_JSON: "not JSON",
  TOO_DEEP: "nested too deeply",
  NOT_OBJECT: "JSON, but no object",
  NOT_CHANGE: "no change event",
  FIELD_TYPE: "a field of another type",
  KEY_NULL: "has no key",
  KEY_INVALID: "its key cannot be read",
  FIELD_MISSING: "a required field is missing",
  TIME_MISSING: "no event time",
  TIME_RANGE: "event time out of range",
  TIME_AHEAD: "event time too far ahead",
};

/** A reason that a newer server may know and we do not is shown by its code alone. */
export function reasonText(reason: string): string {
  return WORDS[reason] ?? "";
}
