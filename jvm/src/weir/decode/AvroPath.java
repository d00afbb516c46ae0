package weir.decode;

import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.MapData;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;

/** A way into decoded values: by members, entries and elements. */
final class AvroPath {
  private final Object[] steps; // an Integer: a member or an element; a UTF8String: an entry
  private final DataType[] types; // of what each step leads to, before it the type it starts from

  /** The type at its end; void where the types have no such place. */
  final DataType type;

  AvroPath(DataType from, List<Object> path) {
    steps = new Object[path.size()];
    types = new DataType[path.size() + 1];
    types[0] = from;
    for (int at = 0; at < steps.length; at++) {
      step(at, path.get(at));
    }
    type = types[steps.length];
  }

  private void step(int at, Object segment) {
    types[at + 1] = DataTypes.NullType;
    if (types[at] instanceof StructType struct && segment instanceof String name && List.of(struct.fieldNames()).contains(name)) {
      steps[at] = struct.fieldIndex(name);
      types[at + 1] = struct.apply(name).dataType();
    } else if (types[at] instanceof MapType map && segment instanceof String name) {
      steps[at] = UTF8String.fromString(name);
      types[at + 1] = map.valueType();
    } else if (types[at] instanceof ArrayType array && segment instanceof Integer index) {
      steps[at] = index;
      types[at + 1] = array.elementType();
    }
  }

  /** Sets the value there, or null. */
  void read(Object value, DecodedRow row, int at) {
    if (value instanceof DecodedRow record && steps.length == 1) {
      if (steps[0] != null) {
        row.copy(record, (Integer) steps[0], at);
      }
      return;
    }
    row.set(at, of(value));
  }

  /** The value there, or null. */
  Object of(Object value) {
    Object found = value;
    for (int at = 0; at < steps.length && found != null; at++) {
      found = next(found, at);
    }
    return found;
  }

  private Object next(Object value, int at) {
    DataType type = types[at + 1];
    if (steps[at] == null) {
      return null;
    }
    if (value instanceof InternalRow row) {
      int member = (Integer) steps[at];
      return row.isNullAt(member) ? null : row.get(member, type);
    }
    if (value instanceof ArrayData array) {
      int index = (Integer) steps[at];
      return index >= array.numElements() || array.isNullAt(index) ? null : array.get(index, type);
    }
    MapData map = (MapData) value;
    for (int entry = 0; entry < map.numElements(); entry++) {
      if (map.keyArray().getUTF8String(entry).equals(steps[at])) {
        return map.valueArray().isNullAt(entry) ? null : map.valueArray().get(entry, type);
      }
    }
    return null;
  }
}
