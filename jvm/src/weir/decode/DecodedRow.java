package weir.decode;

import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.MapData;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.unsafe.types.BinaryView;
import org.apache.spark.unsafe.types.CalendarInterval;
import org.apache.spark.unsafe.types.TimestampNanosVal;
import org.apache.spark.unsafe.types.UTF8String;
import org.apache.spark.unsafe.types.VariantVal;

/** A struct whose numbers are not boxed, as decoders fill it: all values are null at first. */
public final class DecodedRow extends InternalRow {
  private final long[] numbers;
  private final Object[] objects;

  // In place of a value that is in `numbers`.
  private static final Object NUMBER = new Object[0];

  DecodedRow(int size) {
    this(new long[size], new Object[size]);
  }

  private DecodedRow(long[] numbers, Object[] objects) {
    this.numbers = numbers;
    this.objects = objects;
  }

  /** A boolean (0 or 1), int, long, timestamp (microseconds) or date (days). */
  void setNumber(int at, long value) {
    numbers[at] = value;
    objects[at] = NUMBER;
  }

  void setReal(int at, double value) {
    setNumber(at, Double.doubleToRawLongBits(value));
  }

  /** Any other value in Spark's own form, or null. */
  void setObject(int at, Object value) {
    objects[at] = value;
  }

  /** A value in Spark's own form, boxed, or null. */
  void set(int at, Object value) {
    if (value instanceof Double real) {
      setReal(at, real);
    } else if (value instanceof Long || value instanceof Integer) {
      setNumber(at, ((Number) value).longValue());
    } else if (value instanceof Boolean bool) {
      setNumber(at, bool ? 1 : 0);
    } else {
      objects[at] = value;
    }
  }

  /** The value of another row, as it is there. */
  void copy(DecodedRow from, int place, int at) {
    numbers[at] = from.numbers[place];
    objects[at] = from.objects[place];
  }

  /** What is not a number, by place; for what is one something that stands in its place. */
  Object[] objects() {
    return objects;
  }

  void clear(int from, int to) {
    for (int at = from; at < to; at++) {
      objects[at] = null;
    }
  }

  @Override
  public int numFields() {
    return objects.length;
  }

  @Override
  public boolean isNullAt(int at) {
    return objects[at] == null;
  }

  @Override
  public boolean getBoolean(int at) {
    return numbers[at] != 0;
  }

  @Override
  public byte getByte(int at) {
    return (byte) numbers[at];
  }

  @Override
  public short getShort(int at) {
    return (short) numbers[at];
  }

  @Override
  public int getInt(int at) {
    return (int) numbers[at];
  }

  @Override
  public long getLong(int at) {
    return numbers[at];
  }

  @Override
  public float getFloat(int at) {
    return (float) getDouble(at);
  }

  @Override
  public double getDouble(int at) {
    return Double.longBitsToDouble(numbers[at]);
  }

  @Override
  public Decimal getDecimal(int at, int precision, int scale) {
    return (Decimal) objects[at];
  }

  @Override
  public UTF8String getUTF8String(int at) {
    return (UTF8String) objects[at];
  }

  @Override
  public byte[] getBinary(int at) {
    return (byte[]) objects[at];
  }

  @Override
  public BinaryView getBinaryView(int at) {
    throw new UnsupportedOperationException();
  }

  @Override
  public CalendarInterval getInterval(int at) {
    throw new UnsupportedOperationException();
  }

  @Override
  public TimestampNanosVal getTimestampNTZNanos(int at) {
    throw new UnsupportedOperationException();
  }

  @Override
  public TimestampNanosVal getTimestampLTZNanos(int at) {
    throw new UnsupportedOperationException();
  }

  @Override
  public VariantVal getVariant(int at) {
    throw new UnsupportedOperationException();
  }

  @Override
  public InternalRow getStruct(int at, int size) {
    return (InternalRow) objects[at];
  }

  @Override
  public ArrayData getArray(int at) {
    return (ArrayData) objects[at];
  }

  @Override
  public MapData getMap(int at) {
    return (MapData) objects[at];
  }

  @Override
  public Object get(int at, DataType type) {
    if (objects[at] != NUMBER) {
      return objects[at];
    }
    if (type.equals(DataTypes.BooleanType)) {
      return getBoolean(at);
    }
    if (type.equals(DataTypes.IntegerType) || type.equals(DataTypes.DateType)) {
      return getInt(at);
    }
    return type.equals(DataTypes.DoubleType) ? (Object) getDouble(at) : (Object) getLong(at);
  }

  @Override
  public void setNullAt(int at) {
    objects[at] = null;
  }

  @Override
  public void update(int at, Object value) {
    throw new UnsupportedOperationException("Decoded rows are written by decoders only.");
  }

  @Override
  public InternalRow copy() {
    Object[] copied = new Object[objects.length];
    for (int at = 0; at < objects.length; at++) {
      copied[at] = objects[at] == NUMBER ? NUMBER : InternalRow.copyValue(objects[at]);
    }
    return new DecodedRow(numbers.clone(), copied);
  }
}
