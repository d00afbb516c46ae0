package weir.decode;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.util.ArrayBasedMapData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Reads a value of a writer's schema as one of a reader's, into a place of a row; composed once for a pair of schemas by {@link AvroResolution}.
 * What the value cannot be is a fault of the bytes read ({@link AvroBytes#fault}), and the place is null then.
 */
interface AvroRead {
  void read(AvroBytes in, DecodedRow row, int at);

  /** Reads nothing, for a branch or symbol that the reader lacks, after the value is passed over. */
  static AvroRead mismatch(AvroSchema writer, int order) {
    return (in, row, at) -> {
      in.skip(writer);
      in.fault(order, true);
      row.setObject(at, null);
    };
  }

  static AvroRead nothing() {
    return (in, row, at) -> row.setObject(at, null);
  }

  static AvroRead bool() {
    return (in, row, at) -> row.setNumber(at, in.bytes[in.pass(1)] == 0 ? 0 : 1);
  }

  static AvroRead whole(boolean isInt, int order) {
    return (in, row, at) -> {
      long value = in.whole();
      if (isInt && value != (int) value) {
        in.fault(order, false);
      }
      row.setNumber(at, value);
    };
  }

  static AvroRead single() {
    return (in, row, at) -> row.setReal(at, Float.intBitsToFloat((int) in.fixed(Float.BYTES)));
  }

  static AvroRead real() {
    return (in, row, at) -> row.setReal(at, Double.longBitsToDouble(in.fixed(Double.BYTES)));
  }

  /** A whole number as a float, or a double. */
  static AvroRead wholeAsReal(boolean single, boolean isInt, int order) {
    return (in, row, at) -> {
      long value = in.whole();
      if (isInt && value != (int) value) {
        in.fault(order, false);
      }
      double whole = value; // both ways as doubles: beside a float, Java makes a float of a long
      row.setReal(at, single ? (double) (float) whole : whole);
    };
  }

  static AvroRead text() {
    return (in, row, at) -> {
      int from = in.text();
      row.setObject(at, UTF8String.fromBytes(in.bytes, from, in.at - from));
    };
  }

  /** Bytes as a text, which they may not be. */
  static AvroRead bytesAsText(int order) {
    return (in, row, at) -> {
      int from = in.pass(in.whole());
      if (!Utf8.isValid(in.bytes, from, in.at)) {
        in.fault(order, false);
      }
      row.setObject(at, UTF8String.fromBytes(in.bytes, from, in.at - from));
    };
  }

  static AvroRead bytes(Size size, boolean isText) {
    return (in, row, at) -> {
      int from = isText ? in.text() : in.pass(size.of(in));
      row.setObject(at, Arrays.copyOfRange(in.bytes, from, in.at));
    };
  }

  /** How many bytes a value has: of bytes it is said before them, of a fixed in its schema. */
  interface Size {
    long of(AvroBytes in);
  }

  static AvroRead day(int order) {
    return (in, row, at) -> {
      long day = in.whole();
      boolean inYears = day >= Times.MIN_DAY && day <= Times.MAX_DAY;
      if (!inYears) {
        in.fault(order, false);
      }
      row.setNumber(at, inYears ? day : 0);
    };
  }

  /** An instant that counts milliseconds, microseconds or (`perMicro` 0) nanoseconds. */
  static AvroRead instant(int perMicro, boolean isInt, int order) {
    return (in, row, at) -> {
      long count = in.whole();
      long micros = perMicro == 0 ? Math.floorDiv(count, 1_000L) : Math.abs(count / 2) < Long.MAX_VALUE / 2 / perMicro ? count * perMicro : Times.NONE;
      if (Times.inYears(micros) == Times.NONE || (isInt && count != (int) count)) {
        in.fault(order, false);
      }
      row.setNumber(at, micros);
    };
  }

  static AvroRead decimal(Size size, int precision, int scale, int order) {
    return (in, row, at) -> {
      int from = in.pass(size.of(in));
      int first = from;
      // Signs that say nothing: a megabyte of them is still a small number.
      while (in.at - first > 1 && in.bytes[first] == (in.bytes[first + 1] < 0 ? -1 : 0)) {
        first++;
      }
      Object value = null;
      if (in.at - first <= 17) {
        BigInteger unscaled = in.at == first ? BigInteger.ZERO : new BigInteger(in.bytes, first, in.at - first);
        value = Numbers.exact(0, unscaled, precision, scale);
      }
      if (value == null) {
        in.fault(order, false);
      }
      row.setObject(at, value);
    };
  }

  /** A UUID's text in its usual form, out of a fixed, a text, or bytes, which may not be one. */
  static AvroRead uuid(AvroSchema writer, int order) {
    boolean isFixed = writer.is("fixed");
    boolean isBytes = writer.is("bytes");
    return (in, row, at) -> {
      int from = isFixed ? in.pass(16) : isBytes ? in.pass(in.whole()) : in.text();
      String text = isFixed ? java.util.HexFormat.of().formatHex(in.bytes, from, in.at) : new String(in.bytes, from, in.at - from, StandardCharsets.UTF_8);
      String digits = hexOf(text);
      if (digits.length() != 32 || !digits.chars().allMatch(sign -> Character.digit(sign, 16) >= 0 && sign < 128) || !text.replace("-", "").contains(digits)) {
        in.fault(order, false);
        row.setObject(at, null);
        return;
      }
      String lower = digits.toLowerCase(java.util.Locale.ROOT);
      row.setObject(
          at,
          UTF8String.fromString(
              String.join("-", lower.substring(0, 8), lower.substring(8, 12), lower.substring(12, 16), lower.substring(16, 20), lower.substring(20))));
    };
  }

  private static String hexOf(String text) {
    String bare = text.replace("urn:", "").replace("uuid:", "");
    int from = 0;
    int to = bare.length();
    while (from < to && (bare.charAt(from) == '{' || bare.charAt(from) == '}')) {
      from++;
    }
    while (from < to && (bare.charAt(to - 1) == '{' || bare.charAt(to - 1) == '}')) {
      to--;
    }
    return bare.substring(from, to).replace("-", "");
  }

  /** What the reader makes of each symbol of a writer's enum, null for nothing, and how much each counts. All fields of two enums share it. */
  record Symbols(UTF8String[] texts, int[] weights) {
    static Symbols of(AvroSchema writer, AvroSchema reader) {
      UTF8String standard = reader.standard == null ? null : UTF8String.fromString(reader.standard);
      UTF8String[] texts =
          writer.symbols.stream()
              .map(symbol -> reader.symbolPlaces.containsKey(symbol) ? UTF8String.fromString(symbol) : standard)
              .toArray(UTF8String[]::new);
      return new Symbols(texts, Arrays.stream(texts).mapToInt(AvroRecord::weight).toArray());
    }
  }

  /**
   * Symbols by the writer's index; null for one that the reader lacks, and has no default for. A symbol of any length is a byte of the record, so that its
   * text counts as one of a default does.
   */
  static AvroRead symbol(Symbols symbols, int order) {
    return (in, row, at) -> {
      int index = in.oneOf(symbols.texts.length);
      UTF8String found = symbols.texts[index];
      if (found == null) {
        in.fault(order, true);
      } else if (symbols.weights[index] > 0 && !in.takes(symbols.weights[index])) {
        found = null;
      }
      row.setObject(at, found);
    };
  }

  static AvroRead branch(AvroRead[] branches) {
    return (in, row, at) -> branches[in.oneOf(branches.length)].read(in, row, at);
  }

  /** A value of one branch of a reader's union as a struct with a member for each. */
  static AvroRead member(AvroRead read, int member, int members) {
    return (in, row, at) -> {
      if (!in.takes(members)) {
        read.read(in, new DecodedRow(1), 0);
        row.setObject(at, null);
        return;
      }
      DecodedRow struct = new DecodedRow(members);
      read.read(in, struct, member);
      row.setObject(at, struct);
    };
  }

  static AvroRead items(AvroRead item, DataType type) {
    return (in, row, at) -> {
      AvroBytes.Faults around = in.beginItems();
      List<Object> values = new ArrayList<>();
      DecodedRow one = new DecodedRow(1);
      for (long count = in.block(); count > 0; count = in.block()) {
        for (long here = 0; here < count; here++) {
          one.setObject(0, null);
          item.read(in, one, 0);
          in.endItem();
          if (!in.holdsTooMany()) {
            values.add(one.get(0, type));
          }
        }
      }
      in.endItems(around);
      row.setObject(at, new GenericArrayData(values.toArray()));
    };
  }

  /**
   * Of a key that is there twice the last value counts, in the place of the first; the faults of what was read before are taken back. Its members count
   * until they are too many: then {@link AvroDatum} reads again, without values that are {@link AvroBytes#isReplaced}.
   */
  static AvroRead entries(AvroRead value, AvroSchema writer, DataType type) {
    return (in, row, at) -> {
      AvroBytes.Faults around = in.beginItems();
      Map<UTF8String, Object> values = new LinkedHashMap<>();
      Map<UTF8String, AvroBytes.Faults> faults = new HashMap<>();
      DecodedRow one = new DecodedRow(1);
      for (long count = in.block(); count > 0; count = in.block()) {
        for (long here = 0; here < count; here++) {
          int from = in.text();
          UTF8String key = UTF8String.fromBytes(in.bytes, from, in.at - from);
          one.setObject(0, null);
          if (in.isReplaced()) {
            in.skip(writer);
          } else {
            value.read(in, one, 0);
          }
          if (!in.holdsTooMany()) {
            values.put(key, one.get(0, type));
          }
          AvroBytes.Faults own = in.endEntry();
          if (own == null) {
            faults.remove(key);
          } else {
            faults.put(key, own);
          }
        }
      }
      if (!faults.isEmpty()) {
        values.keySet().stream().filter(faults::containsKey).findFirst().ifPresent(key -> in.take(faults.get(key)));
      }
      in.endItems(around);
      row.setObject(at, new ArrayBasedMapData(new GenericArrayData(values.keySet().toArray()), new GenericArrayData(values.values().toArray())));
    };
  }
}
