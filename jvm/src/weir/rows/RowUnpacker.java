package weir.rows;

import java.io.Serializable;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/** Reads structs of so many fields from bytes. */
public final class RowUnpacker implements Serializable {
  private final int fields;

  RowUnpacker(int fields) {
    this.fields = fields;
  }

  /** The struct over these bytes, which are not copied. */
  public InternalRow unpack(byte[] bytes) {
    UnsafeRow struct = new UnsafeRow(fields);
    struct.pointTo(bytes, bytes.length);
    return struct;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof RowUnpacker unpacker && fields == unpacker.fields;
  }

  @Override
  public int hashCode() {
    return fields;
  }

  @Override
  public String toString() {
    return "unpack(" + fields + ")";
  }
}
