package weir.rows;

import java.io.Serializable;
import java.util.Arrays;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.types.DataType;

/** Writes structs of these types as bytes. A task has its own: plans are copied for each. */
public final class RowPacker implements Serializable {
  private final DataType[] types;
  private transient UnsafeProjection writer;

  RowPacker(DataType[] types) {
    this.types = types;
  }

  /** The bytes of a struct; equal structs give equal bytes, but for doubles that are equal and differ in their bits. */
  public byte[] pack(InternalRow struct) {
    if (writer == null) {
      writer = UnsafeProjection.create(types);
    }
    return writer.apply(struct).copy().getBytes(); // the writer's own bytes are overwritten by the next row
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof RowPacker packer && Arrays.equals(types, packer.types);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(types);
  }

  @Override
  public String toString() {
    return "pack" + Arrays.toString(types);
  }
}
