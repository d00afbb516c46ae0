package weir.decode;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import org.apache.spark.sql.types.Decimal;

/** Numbers in texts. What a hostile number could cost is bounded by its length: no power of ten is built for an exponent. */
final class Numbers {
  private static final long EXACT = 1L << 53;
  private static final double[] TENS = {
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22
  };
  private static final byte[] NAN = {'N', 'a', 'N'};
  private static final byte[] INFINITY = {'I', 'n', 'f', 'i', 'n', 'i', 't', 'y'};
  private static final int MAX_EXPONENT_DIGITS = 9;
  private static final int LONG_DIGITS = 18;
  private static final byte[] LEAST = String.valueOf(Long.MIN_VALUE).getBytes(StandardCharsets.ISO_8859_1);

  private Numbers() {}

  /** The double nearest to a number: digits, a point, an exponent. */
  static double real(byte[] bytes, int from, int to) {
    boolean negative = bytes[from] == '-';
    long digits = 0;
    int scale = 0;
    boolean fraction = false;
    for (int at = negative || bytes[from] == '+' ? from + 1 : from; at < to; at++) {
      byte sign = bytes[at];
      if (sign == '.') {
        fraction = true;
      } else if (sign >= '0' && sign <= '9' && digits < EXACT / 10) {
        digits = digits * 10 + (sign - '0');
        scale += fraction ? 1 : 0;
      } else {
        return Double.parseDouble(new String(bytes, from, to - from, StandardCharsets.ISO_8859_1));
      }
    }
    if (scale >= TENS.length) {
      return Double.parseDouble(new String(bytes, from, to - from, StandardCharsets.ISO_8859_1));
    }
    // Both are doubles exactly, so that their quotient is rounded once.
    double value = digits / TENS[scale];
    return negative ? -value : value;
  }

  /** Whether a text is a number with a point and an exponent of at most 9 digits, where it has them. */
  static boolean isNumber(byte[] bytes, int begin, int to) {
    int at = begin < to && (bytes[begin] == '-' || bytes[begin] == '+') ? begin + 1 : begin;
    int digits = 0;
    boolean point = false;
    for (; at < to; at++) {
      if (bytes[at] == '.' && !point) {
        point = true;
      } else if (bytes[at] >= '0' && bytes[at] <= '9') {
        digits++;
      } else {
        break;
      }
    }
    return digits > 0 && (at == to || exponent(bytes, at, to) != Times.NONE);
  }

  /** NaN, Infinity or -Infinity; 0 for any other text. */
  static double special(byte[] text, int from, int to) {
    if (java.util.Arrays.equals(text, from, to, NAN, 0, NAN.length)) {
      return Double.NaN;
    }
    boolean negative = from < to && text[from] == '-';
    if (!java.util.Arrays.equals(text, negative ? from + 1 : from, to, INFINITY, 0, INFINITY.length)) {
      return 0;
    }
    return negative ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY;
  }

  /**
   * A number at a decimal's scale, rounded half up; null where it has too many digits before the point, or the text is none: as
   * {@code _decimal} of {@code jobs/formats/json_values.py}.
   */
  static Decimal decimal(byte[] bytes, int begin, int to, int precision, int scale) {
    int from = begin < to && (bytes[begin] == '-' || bytes[begin] == '+') ? begin + 1 : begin;
    int point = -1;
    int end = from;
    int digits = 0;
    for (; end < to; end++) {
      if (bytes[end] >= '0' && bytes[end] <= '9') {
        digits++;
      } else if (bytes[end] == '.' && point < 0) {
        point = end;
      } else {
        break;
      }
    }
    if (digits == 0) {
      return null;
    }
    long exponent = end == to ? 0 : exponent(bytes, end, to);
    if (exponent == Times.NONE) {
      return null;
    }
    int first = from; // the first digit that counts
    while (first < end && (bytes[first] == '0' || bytes[first] == '.')) {
      first++;
    }
    if (first == end) {
      return exact(0, BigInteger.ZERO, precision, scale);
    }
    int whole = point < 0 ? end : point;
    // Digits before the point, once the exponent has moved it; from the first that counts.
    long before = (first < whole ? whole - first : whole - first + 1L) + exponent;
    if (before > precision - scale) {
      return null;
    }
    long kept = before + scale;
    return kept < 0 ? exact(0, BigInteger.ZERO, precision, scale) : rounded(bytes, first, end, (int) kept, bytes[begin] == '-', precision, scale);
  }

  private static long exponent(byte[] bytes, int from, int to) {
    if ((bytes[from] | 0x20) != 'e') {
      return Times.NONE;
    }
    int at = from + 1;
    boolean negative = at < to && bytes[at] == '-';
    if (at < to && (negative || bytes[at] == '+')) {
      at++;
    }
    if (at == to || to - at > MAX_EXPONENT_DIGITS) {
      return Times.NONE;
    }
    long value = 0;
    for (; at < to; at++) {
      if (bytes[at] < '0' || bytes[at] > '9') {
        return Times.NONE;
      }
      value = value * 10 + (bytes[at] - '0');
    }
    return negative ? -value : value;
  }

  private static Decimal rounded(byte[] bytes, int first, int end, int kept, boolean negative, int precision, int scale) {
    char[] digits = new char[kept + 1];
    int found = 0;
    for (int at = first; at < end && found <= kept; at++) {
      if (bytes[at] != '.') {
        digits[found++] = (char) bytes[at];
      }
    }
    while (found <= kept) {
      digits[found++] = '0';
    }
    boolean up = digits[kept] >= '5';
    if (kept <= LONG_DIGITS) {
      long value = up ? 1 : 0;
      long power = 1;
      for (int at = kept - 1; at >= 0; at--, power *= 10) {
        value += (digits[at] - '0') * power;
      }
      return exact(negative ? -value : value, null, precision, scale);
    }
    BigInteger value = new BigInteger(new String(digits, 0, kept));
    value = up ? value.add(BigInteger.ONE) : value;
    return exact(0, negative ? value.negate() : value, precision, scale);
  }

  /** A decimal of an unscaled value, which is in `large` unless that is null; null where it has more digits than the type. */
  static Decimal exact(long small, BigInteger large, int precision, int scale) {
    if (precision <= LONG_DIGITS) {
      long value = large == null ? small : large.bitLength() < Long.SIZE ? large.longValue() : Long.MAX_VALUE;
      long limit = tenTo(precision); // the least long has no absolute value
      return -limit < value && value < limit ? Decimal.createUnsafe(value, precision, scale) : null;
    }
    BigDecimal value = new BigDecimal(large == null ? BigInteger.valueOf(small) : large, scale);
    return value.precision() > precision ? null : Decimal.apply(value, precision, scale);
  }

  private static long tenTo(int power) {
    long value = 1;
    for (int at = 0; at < power; at++) {
      value *= 10;
    }
    return value;
  }

  /** A whole number as a long; {@link Times#NONE}, which is the least of all, where it is none. */
  static long ofLong(byte[] bytes, int from, int to) {
    boolean negative = bytes[from] == '-';
    int begin = negative ? from + 1 : from;
    if (to - begin <= LONG_DIGITS) {
      long value = 0;
      for (int at = begin; at < to; at++) {
        value = value * 10 + (bytes[at] - '0');
      }
      return negative ? -value : value;
    }
    BigInteger value = whole(bytes, from, to);
    return value == null || value.bitLength() >= Long.SIZE ? Times.NONE : value.longValue();
  }

  /** Whether a text is the least long, which {@link #ofLong} cannot say. */
  static boolean isLeast(byte[] bytes, int from, int to) {
    return java.util.Arrays.equals(bytes, from, to, LEAST, 0, LEAST.length);
  }

  /** The whole number of at most 20 characters, sign included, or null: what {@code int(text)} gives. */
  static BigInteger whole(byte[] bytes, int from, int to) {
    return to - from > 20 ? null : new BigInteger(new String(bytes, from, to - from, StandardCharsets.ISO_8859_1));
  }
}
