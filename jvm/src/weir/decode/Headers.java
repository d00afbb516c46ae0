package weir.decode;

import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * {@code weir_header(headers, name)}: the value of the first header of this name as a text; null without one. A lambda in SQL would take the
 * whole step out of generated code, for a column that is nearly always null.
 */
public final class Headers {
  private Headers() {}

  public static UTF8String first(ArrayData headers, UTF8String name) {
    for (int at = 0; at < headers.numElements(); at++) {
      InternalRow header = headers.getStruct(at, 2);
      if (!header.isNullAt(0) && header.getUTF8String(0).equals(name)) {
        return header.isNullAt(1) ? null : UTF8String.fromBytes(header.getBinary(1));
      }
    }
    return null;
  }
}
