package weir.decode;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Texts as bytes: UTF-8 as Unicode defines it, without surrogates and overlong forms. */
final class Utf8 {
  private static final long NOT_ASCII = 0x8080808080808080L;
  private static final VarHandle WORDS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());

  private Utf8() {}

  /** Whether these bytes are UTF-8. */
  static boolean isValid(byte[] bytes, int from, int to) {
    int at = from;
    while (at < to) {
      if (bytes[at] >= 0) {
        at = at + Long.BYTES <= to && ((long) WORDS.get(bytes, at) & NOT_ASCII) == 0 ? at + Long.BYTES : at + 1;
        continue;
      }
      int length = lengthAt(bytes, at, to);
      if (length == 0) {
        return false;
      }
      at += length;
    }
    return true;
  }

  /** Bytes of the character that begins here, which is not ASCII; 0 where there is none. */
  static int lengthAt(byte[] bytes, int at, int to) {
    int first = bytes[at] & 0xff;
    if (first < 0xc2 || first > 0xf4) {
      return 0;
    }
    int length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (to - at < length) {
      return 0;
    }
    for (int next = at + 1; next < at + length; next++) {
      if ((bytes[next] & 0xc0) != 0x80) {
        return 0;
      }
    }
    int second = bytes[at + 1] & 0xff;
    boolean wrong =
        (first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) || (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f);
    return wrong ? 0 : length;
  }
}
