package weir.decode;

import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.unsafe.types.UTF8String;

/** A declared type, which reads a plain text as {@code typed_text} of {@code jobs/formats/text_values.py} does. */
interface PlainType {
  byte[] TRUE = {'t', 'r', 'u', 'e'};
  byte[] FALSE = {'f', 'a', 'l', 's', 'e'};

  /** Reads the text into the row; false where it is not of this type. */
  boolean read(byte[] text, int from, int to, DecodedRow row, int at);

  static PlainType of(DataType type) {
    if (type instanceof DecimalType decimal) {
      return (text, from, to, row, at) -> set(row, at, Numbers.decimal(text, from, to, decimal.precision(), decimal.scale()));
    }
    if (type.equals(DataTypes.StringType)) {
      return (text, from, to, row, at) -> set(row, at, UTF8String.fromBytes(text, from, to - from));
    }
    if (type.equals(DataTypes.BinaryType)) {
      return (text, from, to, row, at) -> set(row, at, Base64Text.decode(text, from, to));
    }
    if (type.equals(DataTypes.BooleanType)) {
      return PlainType::bool;
    }
    if (type.equals(DataTypes.IntegerType)) {
      return (text, from, to, row, at) -> whole(text, from, to, row, at, Integer.MIN_VALUE, Integer.MAX_VALUE);
    }
    if (type.equals(DataTypes.LongType)) {
      return (text, from, to, row, at) -> whole(text, from, to, row, at, Long.MIN_VALUE, Long.MAX_VALUE);
    }
    if (type.equals(DataTypes.DoubleType)) {
      return PlainType::real;
    }
    if (type.equals(DataTypes.TimestampType)) {
      return (text, from, to, row, at) -> set(row, at, Times.instant(text, from, to));
    }
    if (type.equals(DataTypes.DateType)) {
      return (text, from, to, row, at) -> set(row, at, Times.day(text, from, to));
    }
    return (text, from, to, row, at) -> false;
  }

  private static boolean set(DecodedRow row, int at, Object value) {
    row.setObject(at, value);
    return value != null;
  }

  private static boolean set(DecodedRow row, int at, long value) {
    if (value == Times.NONE) {
      return false;
    }
    row.setNumber(at, value);
    return true;
  }

  private static boolean bool(byte[] text, int from, int to, DecodedRow row, int at) {
    boolean isTrue = isWord(TRUE, text, from, to);
    row.setNumber(at, isTrue ? 1 : 0);
    return isTrue || isWord(FALSE, text, from, to);
  }

  /** Whether a text is a word of small letters, or the same with large ones. */
  private static boolean isWord(byte[] word, byte[] text, int from, int to) {
    if (to - from != word.length) {
      return false;
    }
    for (int at = 0; at < word.length; at++) {
      if ((text[from + at] | 0x20) != word[at]) {
        return false;
      }
    }
    return true;
  }

  private static boolean whole(byte[] text, int from, int to, DecodedRow row, int at, long least, long greatest) {
    int begin = from < to && (text[from] == '-' || text[from] == '+') ? from + 1 : from;
    if (begin == to || to - begin > 19 || !isDigits(text, begin, to)) {
      return false;
    }
    long value = Numbers.ofLong(text, text[from] == '+' ? begin : from, to);
    if (value < least || value > greatest || (value == Times.NONE && !Numbers.isLeast(text, from, to))) {
      return false;
    }
    row.setNumber(at, value);
    return true;
  }

  private static boolean isDigits(byte[] text, int from, int to) {
    for (int at = from; at < to; at++) {
      if (text[at] < '0' || text[at] > '9') {
        return false;
      }
    }
    return true;
  }

  private static boolean real(byte[] text, int from, int to, DecodedRow row, int at) {
    if (Numbers.isNumber(text, from, to)) {
      row.setReal(at, Numbers.real(text, from, to));
      return true;
    }
    double special = Numbers.special(text, from, to);
    row.setReal(at, special);
    return special != 0;
  }
}
