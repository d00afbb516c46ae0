package weir.decode;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.util.ArrayBasedMapData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;

/** A declared type, which reads one JSON value as {@code typed} of {@code jobs/formats/json_values.py} does. */
abstract class JsonType {
  /**
   * Reads the value that begins here, to its end, whatever it is.
   *
   * @return false where it is not of this type; the row then holds null, as it does for null.
   */
  final boolean read(JsonReader in, DecodedRow row, int at) {
    row.setObject(at, null);
    if (in.holdsTooMany()) { // it is no row then, whatever follows
      in.skip();
      return true;
    }
    return in.isNull() || value(in, row, at);
  }

  /** As {@link #read}, for what is not null. */
  protected abstract boolean value(JsonReader in, DecodedRow row, int at);

  static JsonType of(DataType type, TimeUnit unit) {
    if (type instanceof ArrayType array) {
      return new Items(array.elementType(), of(array.elementType(), unit));
    }
    if (type instanceof MapType map) {
      return new Entries(map.valueType(), of(map.valueType(), unit));
    }
    if (type instanceof StructType struct) {
      return new Members(struct, unit);
    }
    if (type instanceof DecimalType decimal) {
      return new Fixed(decimal.precision(), decimal.scale());
    }
    if (type.equals(DataTypes.BooleanType)) {
      return new Bool();
    }
    if (type.equals(DataTypes.IntegerType)) {
      return new Whole(Integer.MIN_VALUE, Integer.MAX_VALUE);
    }
    if (type.equals(DataTypes.LongType)) {
      return new Whole(Long.MIN_VALUE, Long.MAX_VALUE);
    }
    if (type.equals(DataTypes.DoubleType)) {
      return new Real();
    }
    return ofText(type, unit);
  }

  private static JsonType ofText(DataType type, TimeUnit unit) {
    if (type.equals(DataTypes.StringType)) {
      return new Text();
    }
    if (type.equals(DataTypes.BinaryType)) {
      return new Bytes();
    }
    if (type.equals(DataTypes.TimestampType)) {
      return new Instant(unit);
    }
    if (type.equals(DataTypes.DateType)) {
      return new Day(unit);
    }
    return new Never();
  }

  private static boolean wrong(JsonReader in) {
    in.skip();
    return false;
  }

  private static final class Never extends JsonType {
    @Override
    protected boolean value(JsonReader in, DecodedRow row, int at) {
      return wrong(in);
    }
  }

  private static final class Bool extends JsonType {
    @Override
    protected boolean value(JsonReader in, DecodedRow row, int at) {
      if (!in.isBoolean()) {
        return wrong(in);
      }
      row.setNumber(at, in.bool() ? 1 : 0);
      return true;
    }
  }

  private static final class Whole extends JsonType {
    private final long least;
    private final long greatest;

    Whole(long least, long greatest) {
      this.least = least;
      this.greatest = greatest;
    }

    @Override
    protected boolean value(JsonReader in, DecodedRow row, int at) {
      if (!in.isNumber()) {
        return wrong(in);
      }
      in.number();
      if (!in.isWhole) {
        return false;
      }
      long value = Numbers.ofLong(in.bytes, in.numberFrom, in.at);
      if (value < least || value > greatest || (value == Times.NONE && !Numbers.isLeast(in.bytes, in.numberFrom, in.at))) {
        return false;
      }
      row.setNumber(at, value);
      return true;
    }
  }

  private static final class Real extends JsonType {
    @Override
    protected boolean value(JsonReader in, DecodedRow row, int at) {
      if (in.isNumber()) {
        in.number();
        row.setReal(at, in.isWord ? Numbers.special(in.bytes, in.numberFrom, in.at) : Numbers.real(in.bytes, in.numberFrom, in.at));
        return true;
      }
      if (in.bytes[in.at] != '"') {
        return wrong(in);
      }
      in.string();
      double special = Numbers.special(in.text, in.textFrom, in.textTo);
      if (special == 0) {
        return false;
      }
      row.setReal(at, special);
      return true;
    }
  }

  private static final class Fixed extends JsonType {
    private final int precision;
    private final int scale;

    Fixed(int precision, int scale) {
      this.precision = precision;
      this.scale = scale;
    }

    @Override
    protected boolean value(JsonReader in, DecodedRow row, int at) {
      if (in.isNumber()) {
        in.number();
        return set(row, at, in.bytes, in.numberFrom, in.at);
      }
      if (in.bytes[in.at] != '"') {
        return wrong(in);
      }
      in.string();
      return set(row, at, in.text, in.textFrom, in.textTo);
    }

    private boolean set(DecodedRow row, int at, byte[] text, int from, int to) {
      Object value = Numbers.decimal(text, from, to, precision, scale);
      row.setObject(at, value);
      return value != null;
    }
  }

  private static final class Text extends JsonType {
    @Override
    protected boolean value(JsonReader in, DecodedRow row, int at) {
      if (in.bytes[in.at] != '"') {
        return wrong(in);
      }
      in.string();
      if (in.textBroken) {
        return false;
      }
      row.setObject(at, in.textValue());
      return true;
    }
  }

  private static final class Bytes extends JsonType {
    @Override
    protected boolean value(JsonReader in, DecodedRow row, int at) {
      if (in.bytes[in.at] != '"') {
        return wrong(in);
      }
      in.string();
      byte[] value = Base64Text.decode(in.text, in.textFrom, in.textTo);
      row.setObject(at, value);
      return value != null;
    }
  }

  private static final class Instant extends JsonType {
    private final TimeUnit unit;

    Instant(TimeUnit unit) {
      this.unit = unit;
    }

    @Override
    protected boolean value(JsonReader in, DecodedRow row, int at) {
      long micros = Times.NONE;
      if (in.bytes[in.at] == '"') {
        in.string();
        micros = Times.instant(in.text, in.textFrom, in.textTo);
      } else if (unit != null && in.isNumber()) {
        in.number();
        micros = in.isWhole ? unit.instant(in.bytes, in.numberFrom, in.at) : Times.NONE;
      } else {
        in.skip();
      }
      if (micros == Times.NONE) {
        return false;
      }
      row.setNumber(at, micros);
      return true;
    }
  }

  private static final class Day extends JsonType {
    private final TimeUnit unit;

    Day(TimeUnit unit) {
      this.unit = unit;
    }

    @Override
    protected boolean value(JsonReader in, DecodedRow row, int at) {
      long day = Times.NONE;
      if (in.bytes[in.at] == '"') {
        in.string();
        day = Times.day(in.text, in.textFrom, in.textTo);
      } else if (unit != null && in.isNumber()) {
        in.number();
        day = in.isWhole ? TimeUnit.day(in.bytes, in.numberFrom, in.at) : Times.NONE;
      } else {
        in.skip();
      }
      if (day == Times.NONE) {
        return false;
      }
      row.setNumber(at, day);
      return true;
    }
  }

  private static final class Items extends JsonType {
    private final DataType type;
    private final JsonType element;

    Items(DataType type, JsonType element) {
      this.type = type;
      this.element = element;
    }

    @Override
    protected boolean value(JsonReader in, DecodedRow row, int at) {
      if (in.bytes[in.at] != '[') {
        return wrong(in);
      }
      List<Object> values = new ArrayList<>();
      DecodedRow one = new DecodedRow(1);
      boolean fits = true;
      if (in.open(']')) {
        do {
          fits &= element.read(in, one, 0);
          if (!in.holdsTooMany()) {
            values.add(one.get(0, type));
          }
        } while (in.more(']'));
      }
      row.setObject(at, fits ? new GenericArrayData(values.toArray()) : null);
      return fits;
    }
  }

  private static final class Entries extends JsonType {
    private static final Object WRONG = new Object();
    private final DataType type;
    private final JsonType entry;

    Entries(DataType type, JsonType entry) {
      this.type = type;
      this.entry = entry;
    }

    @Override
    protected boolean value(JsonReader in, DecodedRow row, int at) {
      if (in.bytes[in.at] != '{') {
        return wrong(in);
      }
      // Of a name that is there twice the last value counts, right or wrong.
      Map<UTF8String, Object> values = new LinkedHashMap<>();
      DecodedRow one = new DecodedRow(1);
      boolean fits = true;
      if (in.open('}')) {
        do {
          in.name();
          fits &= !in.textBroken;
          UTF8String name = in.textValue();
          boolean isOne = entry.read(in, one, 0);
          if (!in.holdsTooMany()) {
            values.put(name, isOne ? one.get(0, type) : WRONG);
          }
        } while (in.more('}'));
      }
      fits &= !values.containsValue(WRONG);
      row.setObject(
          at,
          fits ? new ArrayBasedMapData(new GenericArrayData(values.keySet().toArray()), new GenericArrayData(values.values().toArray())) : null);
      return fits;
    }
  }

  private static final class Members extends JsonType {
    private final Names names;
    private final JsonType[] types;

    Members(StructType struct, TimeUnit unit) {
      names = Names.of(List.of(struct.fieldNames()));
      types = new JsonType[struct.length()];
      for (int at = 0; at < types.length; at++) {
        types[at] = of(struct.apply(at).dataType(), unit);
      }
    }

    @Override
    protected boolean value(JsonReader in, DecodedRow row, int at) {
      if (in.bytes[in.at] != '{') {
        return wrong(in);
      }
      if (!in.takes(types.length)) {
        in.skip();
        return true;
      }
      DecodedRow struct = new DecodedRow(types.length);
      boolean[] wrong = new boolean[types.length];
      if (in.open('}')) {
        int expected = 0;
        do {
          in.name();
          int member = names.find(in.text, in.textFrom, in.textTo, expected);
          if (member < 0) {
            in.skip();
          } else {
            wrong[member] = !types[member].read(in, struct, member);
            expected = member + 1;
          }
        } while (in.more('}'));
      }
      for (boolean one : wrong) {
        if (one) {
          return false;
        }
      }
      row.setObject(at, struct);
      return true;
    }
  }
}
