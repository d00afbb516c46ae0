package weir.decode;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.spark.unsafe.types.UTF8String;

/** Avro's binary encoding, read. */
final class AvroBytes {
  private static final int MAX_SHIFT = 63;
  static final int MAX_MEMBERS = 1_000_000; // of all structs of a record: jobs/formats/member_limit.py

  byte[] bytes;
  int at;
  private int end;

  // What of the values read so far had no counterpart in the reader's schema: the first one, in the order of the reader's fields.
  private int faultAt;
  private boolean isMismatch;
  private boolean isMuted; // an item before this one has a fault

  private long members;
  private Set<Integer> replaced; // where values of maps begin whose key comes again; in the walk that finds them they are noted
  private boolean isNoting;

  void reset(byte[] given, int from) {
    reset(given, from, Set.of());
  }

  /** Begins to read, and knows the values of maps whose key comes again. */
  void reset(byte[] given, int from, Set<Integer> known) {
    replaced = known;
    bytes = given;
    at = from;
    end = given.length;
    faultAt = Integer.MAX_VALUE;
    members = 0;
    isMuted = false;
  }

  /** The faults so far, of what is around a list whose items come next: of their own only those of the first item that has any count. */
  Faults beginItems() {
    Faults around = new Faults(faultAt, isMismatch, isMuted);
    faultAt = Integer.MAX_VALUE;
    return around;
  }

  /** After an item. */
  void endItem() {
    isMuted |= hasFault();
  }

  void endItems(Faults around) {
    isMuted = around.isMuted;
    if (around.at < faultAt) {
      faultAt = around.at;
      isMismatch = around.isMismatch;
    }
  }

  /** The faults of the entry read last, or null; the next one begins without. */
  Faults endEntry() {
    Faults own = hasFault() ? new Faults(faultAt, isMismatch, isMuted) : null;
    faultAt = Integer.MAX_VALUE;
    return own;
  }

  /** Has the faults of an entry again. */
  void take(Faults own) {
    faultAt = own.at;
    isMismatch = own.isMismatch;
  }

  record Faults(int at, boolean isMismatch, boolean isMuted) {}

  /** Counts the members of one more struct, or the weight of a symbol; false where they are too many: it and all that follow are not built then, but read on. */
  boolean takes(int more) {
    members += more;
    return members <= MAX_MEMBERS;
  }

  /** True where a value of a map begins whose key comes again, as far as that is known. */
  boolean isReplaced() {
    return replaced.contains(at);
  }

  /** Where values of maps begin whose key comes again: in all maps of a value that was read before. */
  static Set<Integer> replaced(AvroSchema node, byte[] bytes, int from) {
    AvroBytes in = new AvroBytes();
    in.reset(bytes, from, new HashSet<>());
    in.isNoting = true;
    in.skip(node);
    return in.replaced;
  }

  boolean holdsTooMany() {
    return members > MAX_MEMBERS;
  }

  int left() {
    return end - at;
  }

  /** A value without a counterpart (a branch, a symbol), or beyond its type. */
  void fault(int order, boolean mismatch) {
    if (order < faultAt && !isMuted) {
      faultAt = order;
      isMismatch = mismatch;
    }
  }

  boolean hasFault() {
    return faultAt != Integer.MAX_VALUE;
  }

  boolean isMismatch() {
    return isMismatch;
  }

  long whole() {
    long found = 0;
    int shift = 0;
    while (true) {
      if (at >= end || shift > MAX_SHIFT) {
        throw NotAvro.HERE;
      }
      byte next = bytes[at++];
      if (shift == MAX_SHIFT && (next & 0x7f) > 1) { // bits beyond the 64th, which the shift would lose
        throw NotAvro.HERE;
      }
      found |= (next & 0x7fL) << shift;
      if (next >= 0) {
        return (found >>> 1) ^ -(found & 1);
      }
      shift += 7;
    }
  }

  /** Passes over so many bytes, and gives where they begin. */
  int pass(long size) {
    if (size < 0 || size > end - at) {
      throw NotAvro.HERE;
    }
    int from = at;
    at += (int) size;
    return from;
  }

  /** The index of one of so many branches or symbols. */
  int oneOf(int count) {
    long index = whole();
    if (index < 0 || index >= count) {
      throw NotAvro.HERE;
    }
    return (int) index;
  }

  long fixed(int size) {
    int from = pass(size);
    long bits = 0;
    for (int byteAt = size - 1; byteAt >= 0; byteAt--) {
      bits = bits << 8 | bytes[from + byteAt] & 0xff;
    }
    return bits;
  }

  /** The items of the next block; 0 at the end. */
  long block() {
    long count = whole();
    if (count < 0) {
      whole();
      count = -count;
      if (count < 0) {
        throw NotAvro.HERE;
      }
    }
    return count;
  }

  /** A text: where it begins; it goes to {@link #at}. */
  int text() {
    int from = pass(whole());
    if (!Utf8.isValid(bytes, from, at)) {
      throw NotAvro.HERE;
    }
    return from;
  }

  /** Passes over a value that nobody reads. It is checked like any other. */
  void skip(AvroSchema node) {
    switch (node.kind) {
      case "null" -> {}
      case "boolean" -> pass(1);
      case "int", "long" -> whole();
      case "float" -> pass(Float.BYTES);
      case "double" -> pass(Double.BYTES);
      case "bytes" -> pass(whole());
      case "string" -> text();
      case "fixed" -> pass(node.size);
      case "enum" -> oneOf(node.symbols.size());
      case "union" -> skip(node.parts.get(oneOf(node.parts.size())));
      case "array" -> {
        for (long count = block(); count > 0; count = block()) {
          for (long item = 0; item < count; item++) {
            skip(node.parts.get(0));
          }
        }
      }
      case "map" -> {
        Map<UTF8String, Integer> values = isNoting ? new HashMap<>() : null;
        for (long count = block(); count > 0; count = block()) {
          for (long item = 0; item < count; item++) {
            int from = text();
            Integer before = isNoting ? values.put(UTF8String.fromBytes(bytes, from, at - from), at) : null;
            if (before != null) {
              replaced.add(before);
            }
            skip(node.parts.get(0));
          }
        }
      }
      default -> {
        for (AvroSchema.Field field : node.fields) {
          skip(field.type());
        }
      }
    }
  }
}
