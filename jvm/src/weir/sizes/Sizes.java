package weir.sizes;

import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeArrayData;
import org.apache.spark.sql.catalyst.expressions.UnsafeMapData;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.MapData;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;

/** How much memory values take, about: bytes of texts, and 8 bytes for each other value, each element and each member. */
final class Sizes {
  private static final long PLACE = 8;

  private Sizes() {}

  /** Of a value of this type; 0 for null. */
  static long of(Object value, DataType type) {
    if (value == null) {
      return 0;
    }
    if (value instanceof UTF8String text) {
      return text.numBytes();
    }
    if (value instanceof byte[] bytes) {
      return bytes.length;
    }
    if (value instanceof UnsafeArrayData array) {
      return array.getSizeInBytes();
    }
    if (value instanceof UnsafeMapData map) {
      return map.getSizeInBytes();
    }
    if (value instanceof UnsafeRow row) {
      return row.getSizeInBytes();
    }
    if (value instanceof ArrayData array) {
      return ofElements(array, ((ArrayType) type).elementType());
    }
    if (value instanceof MapData map) {
      MapType kind = (MapType) type;
      return ofElements(map.keyArray(), kind.keyType()) + ofElements(map.valueArray(), kind.valueType());
    }
    return value instanceof InternalRow row ? ofMembers(row, (StructType) type) : PLACE;
  }

  private static long ofElements(ArrayData array, DataType element) {
    long size = array.numElements() * PLACE;
    if (isFixed(element)) {
      return size;
    }
    for (int at = 0; at < array.numElements(); at++) {
      size += array.isNullAt(at) ? 0 : of(array.get(at, element), element);
    }
    return size;
  }

  private static long ofMembers(InternalRow row, StructType type) {
    long size = type.size() * PLACE;
    for (int at = 0; at < type.size(); at++) {
      DataType member = type.apply(at).dataType();
      size += isFixed(member) || row.isNullAt(at) ? 0 : of(row.get(at, member), member);
    }
    return size;
  }

  /** Whether all values of a type take one place. */
  static boolean isFixed(DataType type) {
    return !(type instanceof ArrayType
        || type instanceof MapType
        || type instanceof StructType
        || type.equals(DataTypes.StringType)
        || type.equals(DataTypes.BinaryType));
  }
}
