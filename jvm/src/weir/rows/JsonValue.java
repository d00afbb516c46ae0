package weir.rows;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.MapData;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.NullType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.TimestampType;
import org.apache.spark.unsafe.types.UTF8String;

/** How values of a type are written in JSON. */
interface JsonValue {
  /** Writes the value at a place, which is not null. */
  void write(SpecializedGetters from, int at, JsonBytes out);

  /** As {@link #write}, of whatever is there. */
  default void writeAny(SpecializedGetters from, int at, JsonBytes out) {
    if (from.isNullAt(at)) {
      out.raw(Words.NULL);
    } else {
      write(from, at, out);
    }
  }

  /** A struct as an array of its members' values, and so those inside it: the way of identities. */
  static JsonValue arrayOf(StructType struct) {
    int size = struct.length();
    JsonValue[] parts = new JsonValue[size];
    for (int part = 0; part < size; part++) {
      DataType type = struct.apply(part).dataType();
      parts[part] = type instanceof StructType inner ? arrayOf(inner) : of(type);
    }
    return (from, at, out) -> {
      InternalRow row = from.getStruct(at, size);
      out.sign('[');
      for (int part = 0; part < size; part++) {
        if (part > 0) {
          out.sign(',');
        }
        parts[part].writeAny(row, part, out);
      }
      out.sign(']');
    };
  }

  /** A struct as an object. */
  static JsonValue of(DataType type) {
    if (type instanceof StructType struct) {
      return ofStruct(struct);
    }
    if (type instanceof ArrayType array) {
      return ofArray(of(array.elementType()));
    }
    if (type instanceof MapType map && map.keyType() instanceof StringType) {
      return ofMap(of(map.valueType()));
    }
    if (type instanceof StringType) {
      return (from, at, out) -> out.text(from.getUTF8String(at));
    }
    if (type instanceof LongType) {
      return (from, at, out) -> out.number(from.getLong(at));
    }
    if (type instanceof IntegerType) {
      return (from, at, out) -> out.number(from.getInt(at));
    }
    if (type instanceof DoubleType) {
      return (from, at, out) -> out.real(from.getDouble(at));
    }
    if (type instanceof BooleanType) {
      return (from, at, out) -> out.raw(from.getBoolean(at) ? Words.TRUE : Words.FALSE);
    }
    if (type instanceof TimestampType) {
      return (from, at, out) -> out.instant(from.getLong(at));
    }
    if (type instanceof DateType) {
      return (from, at, out) -> out.day(from.getInt(at));
    }
    if (type instanceof BinaryType) {
      return (from, at, out) -> out.base64(from.getBinary(at));
    }
    if (type instanceof NullType) {
      return (from, at, out) -> out.raw(Words.NULL);
    }
    throw new IllegalArgumentException("weir_json does not write " + type.catalogString() + ".");
  }

  private static JsonValue ofStruct(StructType struct) {
    List<byte[]> names = new ArrayList<>();
    List<JsonValue> values = new ArrayList<>();
    JsonBytes name = new JsonBytes();
    for (StructField field : struct.fields()) {
      name.clear();
      name.sign(names.isEmpty() ? '{' : ',');
      name.text(UTF8String.fromString(field.name()));
      name.sign(':');
      names.add(name.copy());
      values.add(of(field.dataType()));
    }
    int size = names.size();
    byte[][] before = names.toArray(byte[][]::new);
    JsonValue[] writes = values.toArray(JsonValue[]::new);
    return (from, at, out) -> {
      InternalRow row = from.getStruct(at, size);
      for (int member = 0; member < size; member++) {
        out.raw(before[member]);
        writes[member].writeAny(row, member, out);
      }
      if (size == 0) {
        out.sign('{');
      }
      out.sign('}');
    };
  }

  private static JsonValue ofArray(JsonValue element) {
    return (from, at, out) -> {
      ArrayData array = from.getArray(at);
      out.sign('[');
      for (int index = 0; index < array.numElements(); index++) {
        if (index > 0) {
          out.sign(',');
        }
        element.writeAny(array, index, out);
      }
      out.sign(']');
    };
  }

  private static JsonValue ofMap(JsonValue value) {
    return (from, at, out) -> {
      MapData map = from.getMap(at);
      ArrayData keys = map.keyArray();
      ArrayData values = map.valueArray();
      out.sign('{');
      for (int index = 0; index < map.numElements(); index++) {
        if (index > 0) {
          out.sign(',');
        }
        out.text(keys.getUTF8String(index));
        out.sign(':');
        value.writeAny(values, index, out);
      }
      out.sign('}');
    };
  }

  /** Words of JSON. */
  final class Words {
    static final byte[] NULL = {'n', 'u', 'l', 'l'};
    static final byte[] TRUE = {'t', 'r', 'u', 'e'};
    static final byte[] FALSE = {'f', 'a', 'l', 's', 'e'};

    private Words() {}
  }
}
