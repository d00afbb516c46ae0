package weir.decode;

import java.io.Serializable;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * A record's value as the fields that are asked for, and why it is none: in one pass, with the verdicts of {@code jobs/formats}.
 *
 * <p>A task has its own: plans are copied for each.
 */
public abstract class Decoder implements Serializable {
  private static final int MAX_BYTES = 1_000_000;
  private static final int HEAD = 5; // a zero byte, and the id of a schema

  /** Behind the fields of a row. */
  static final int STATUS_COLUMNS = 2;

  private final String text;
  private transient UTF8String nothing;
  private transient int size;
  private transient boolean isOpen;

  /** By a specification's text ({@link Spec}). */
  protected Decoder(String text) {
    this.text = text;
  }

  /** The fields, then {@code _status} and {@code _change_ms}. */
  final StructType schema() {
    return new Spec(text).fields.add("_status", DataTypes.StringType, true).add("_change_ms", DataTypes.LongType, true);
  }

  /** Before the first record. */
  protected abstract void open(Spec spec);

  /** Reads a value into a row whose fields are null; gives why it is no row, or null. What it has written then is taken away. */
  protected abstract UTF8String read(byte[] value, DecodedRow row);

  /** Why a value of more bytes than may be is none. */
  protected UTF8String tooLarge() {
    return Reason.TOO_LARGE;
  }

  /** The fields of a value. All are null where {@code _status} is not. */
  public final InternalRow decode(byte[] value) {
    if (!isOpen) {
      Spec spec = new Spec(text);
      nothing = UTF8String.fromString(spec.text("nothing"));
      size = spec.fields.length();
      open(spec);
      isOpen = true;
    }
    DecodedRow row = new DecodedRow(size + STATUS_COLUMNS);
    UTF8String reason = value == null ? nothing : value.length > MAX_BYTES ? tooLarge() : read(value, row);
    if (reason != null) {
      row.clear(0, size);
      row.setObject(size, reason);
    }
    return row;
  }

  /** When a change was made, in milliseconds since 1970. */
  protected final void setChanged(DecodedRow row, long millis) {
    row.setNumber(size + 1, millis);
  }

  /** Where the body behind a frame begins; -1 without a frame. */
  protected static int behindFrame(byte[] value) {
    return value.length < HEAD || value[0] != 0 ? -1 : HEAD;
  }

  @Override
  public final boolean equals(Object other) {
    return other != null && getClass() == other.getClass() && text.equals(((Decoder) other).text);
  }

  @Override
  public final int hashCode() {
    return text.hashCode();
  }

  @Override
  public final String toString() {
    return getClass().getSimpleName();
  }
}
