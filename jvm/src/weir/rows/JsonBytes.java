package weir.rows;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.Base64;
import java.util.Locale;
import org.apache.spark.unsafe.types.UTF8String;

/** JSON as it is written, in UTF-8: texts as Jackson writes them, times as Weir does. */
final class JsonBytes {
  private static final byte[] HEX = "0123456789ABCDEF".getBytes(StandardCharsets.US_ASCII);
  private static final long MICROS_PER_DAY = 86_400_000_000L;
  private static final long FIRST_DAY = LocalDate.of(1, 1, 1).toEpochDay();
  private static final long LAST_DAY = LocalDate.of(9999, 12, 31).toEpochDay();
  private static final DateTimeFormatter DAY = DateTimeFormatter.ofPattern("uuuu-MM-dd", Locale.US);
  private static final DateTimeFormatter INSTANT = DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'", Locale.US).withZone(ZoneOffset.UTC);
  private static final byte[] LEAST = Long.toString(Long.MIN_VALUE).getBytes(StandardCharsets.US_ASCII);

  private byte[] bytes = new byte[256];
  private int size;

  void clear() {
    size = 0;
  }

  byte[] copy() {
    return Arrays.copyOf(bytes, size);
  }

  private void room(int more) {
    if (bytes.length - size < more) {
      bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, Math.addExact(size, more)));
    }
  }

  void sign(char sign) {
    room(1);
    bytes[size++] = (byte) sign;
  }

  void raw(byte[] ascii) {
    room(ascii.length);
    System.arraycopy(ascii, 0, bytes, size, ascii.length);
    size += ascii.length;
  }

  void raw(String ascii) {
    raw(ascii.getBytes(StandardCharsets.ISO_8859_1));
  }

  void number(long value) {
    if (value == Long.MIN_VALUE) {
      raw(LEAST);
      return;
    }
    long left = value;
    if (left < 0) {
      sign('-');
      left = -left;
    }
    int digits = 1;
    for (long most = left; most >= 10; most /= 10) {
      digits++;
    }
    digits(left, digits);
  }

  /** So many digits, with zeros before. */
  private void digits(long value, int count) {
    room(count);
    long left = value;
    for (int at = size + count - 1; at >= size; at--) {
      bytes[at] = (byte) ('0' + left % 10);
      left /= 10;
    }
    size += count;
  }

  void real(double value) {
    boolean isNumber = Double.isFinite(value);
    raw(isNumber ? Double.toString(value) : '"' + Double.toString(value) + '"');
  }

  void base64(byte[] value) {
    sign('"');
    raw(Base64.getEncoder().encode(value));
    sign('"');
  }

  /** A day since 1970. */
  void day(long day) {
    sign('"');
    if (day < FIRST_DAY || day > LAST_DAY) {
      raw(DAY.format(LocalDate.ofEpochDay(day)));
    } else {
      date(day);
    }
    sign('"');
  }

  /** Microseconds since 1970. */
  void instant(long micros) {
    sign('"');
    long day = Math.floorDiv(micros, MICROS_PER_DAY);
    if (day < FIRST_DAY || day > LAST_DAY) {
      raw(INSTANT.format(Instant.ofEpochSecond(Math.floorDiv(micros, 1_000_000L), Math.floorMod(micros, 1_000_000L) * 1_000L)));
    } else {
      date(day);
      long left = Math.floorMod(micros, MICROS_PER_DAY);
      sign('T');
      digits(left / 3_600_000_000L, 2);
      sign(':');
      digits(left / 60_000_000L % 60, 2);
      sign(':');
      digits(left / 1_000_000L % 60, 2);
      sign('.');
      digits(left % 1_000_000L, 6);
      sign('Z');
    }
    sign('"');
  }

  /** Year, month and day, of the years 1 to 9999: civil days, counted from the March of the year 0. */
  private void date(long day) {
    long days = day + 719_468;
    long era = days / 146_097;
    long inEra = days - era * 146_097;
    long year = (inEra - inEra / 1_460 + inEra / 36_524 - inEra / 146_096) / 365;
    long inYear = inEra - (365 * year + year / 4 - year / 100);
    long fromMarch = (5 * inYear + 2) / 153;
    long month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9;
    digits(year + era * 400 + (month <= 2 ? 1 : 0), 4);
    sign('-');
    digits(month, 2);
    sign('-');
    digits(inYear - (153 * fromMarch + 2) / 5 + 1, 2);
  }

  void text(UTF8String text) {
    UTF8String valid = text.isFullAscii() || text.isValid() ? text : UTF8String.fromString(text.toString());
    byte[] given = valid.getBytes();
    room(given.length + 2);
    bytes[size++] = '"';
    int from = 0;
    for (int at = 0; at < given.length; at++) {
      byte sign = given[at];
      if ((sign >= 0 && sign < ' ') || sign == '"' || sign == '\\') {
        plain(given, from, at);
        escape(sign);
        from = at + 1;
      }
    }
    plain(given, from, given.length);
    sign('"');
  }

  private void plain(byte[] given, int from, int to) {
    room(to - from);
    System.arraycopy(given, from, bytes, size, to - from);
    size += to - from;
  }

  private void escape(byte sign) {
    sign('\\');
    switch (sign) {
      case '\b' -> sign('b');
      case '\t' -> sign('t');
      case '\n' -> sign('n');
      case '\f' -> sign('f');
      case '\r' -> sign('r');
      case '"', '\\' -> sign((char) sign);
      default -> {
        raw("u00");
        sign((char) HEX[sign >> 4]);
        sign((char) HEX[sign & 15]);
      }
    }
  }
}
