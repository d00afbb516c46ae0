package weir.decode;

import java.io.ByteArrayOutputStream;

/** Avro's binary encoding, as far as defaults need it. */
final class AvroWriter {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  byte[] bytes() {
    return out.toByteArray();
  }

  void one(int value) {
    out.write(value);
  }

  void whole(long value) {
    long rest = (value << 1) ^ (value >> 63);
    while ((rest & ~0x7fL) != 0) {
      out.write((int) (rest & 0x7f | 0x80));
      rest >>>= 7;
    }
    out.write((int) rest);
  }

  /** The lowest bytes of a number, the lowest first. */
  void fixed(long bits, int size) {
    for (int at = 0; at < size; at++) {
      out.write((int) (bits >> 8 * at));
    }
  }

  void sized(byte[] bytes) {
    whole(bytes.length);
    raw(bytes);
  }

  void raw(byte[] bytes) {
    out.writeBytes(bytes);
  }

  /** Before the items of an array or map, all of which are one block. */
  void count(int items) {
    if (items > 0) {
      whole(items);
    }
  }

  void end() {
    out.write(0);
  }
}
