package weir.decode;

import org.apache.spark.unsafe.types.UTF8String;

/** Why a record is no row: the codes of {@code jobs/formats/malformed_reasons.py} that a value or a key alone can give, and two that are no fault. */
final class Reason {
  static final UTF8String VALUE_NULL = UTF8String.fromString("VALUE_NULL");
  static final UTF8String TOO_LARGE = UTF8String.fromString("TOO_LARGE");
  static final UTF8String NOT_FRAMED = UTF8String.fromString("NOT_FRAMED");
  static final UTF8String SCHEMA_UNKNOWN = UTF8String.fromString("SCHEMA_UNKNOWN");
  static final UTF8String SCHEMA_MISMATCH = UTF8String.fromString("SCHEMA_MISMATCH");
  static final UTF8String NOT_AVRO = UTF8String.fromString("NOT_AVRO");
  static final UTF8String NOT_TEXT = UTF8String.fromString("NOT_TEXT");
  static final UTF8String NOT_CSV = UTF8String.fromString("NOT_CSV");
  static final UTF8String COLUMN_COUNT = UTF8String.fromString("COLUMN_COUNT");
  static final UTF8String NOT_JSON = UTF8String.fromString("NOT_JSON");
  static final UTF8String TOO_DEEP = UTF8String.fromString("TOO_DEEP");
  static final UTF8String NOT_OBJECT = UTF8String.fromString("NOT_OBJECT");
  static final UTF8String NOT_CHANGE = UTF8String.fromString("NOT_CHANGE");
  static final UTF8String FIELD_TYPE = UTF8String.fromString("FIELD_TYPE");
  static final UTF8String KEY_INVALID = UTF8String.fromString("KEY_INVALID");
  static final UTF8String DELETED = UTF8String.fromString("DELETED");
  static final UTF8String SKIPPED = UTF8String.fromString("SKIPPED");

  private Reason() {}
}
