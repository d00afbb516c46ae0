package weir.patterns;

import org.apache.spark.unsafe.types.UTF8String;

/** Characters of UTF-8; of bytes that are none, each first byte counts as one, and nothing is read behind the end. */
final class Utf8 {
  private Utf8() {}

  static int size(byte[] text, int at) {
    return Math.min(UTF8String.numBytesForFirstByte(text[at]), text.length - at);
  }

  static boolean continues(byte part) {
    return (part & 0xC0) == 0x80;
  }

  static int sign(byte[] text, int at) {
    int first = text[at];
    int size = size(text, at);
    if (first >= 0 || size == 1) {
      return first & 0xFF;
    }
    int sign = first & (0x7F >> size);
    for (int place = 1; place < size; place++) {
      sign = (sign << 6) | (text[at + place] & 0x3F);
    }
    return sign;
  }
}
