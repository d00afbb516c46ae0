package weir.decode;

/** Base64 with exactly its padding; bits that are left over need not be 0. */
final class Base64Text {
  private static final byte[] VALUES = new byte[128];

  static {
    java.util.Arrays.fill(VALUES, (byte) -1);
    String signs = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (int at = 0; at < signs.length(); at++) {
      VALUES[signs.charAt(at)] = (byte) at;
    }
  }

  private Base64Text() {}

  /** The bytes of a text, or null where it is none. */
  static byte[] decode(byte[] text, int from, int end) {
    int to = end;
    while (to > from && text[to - 1] == '=') {
      to--;
    }
    int rest = (to - from) % 4;
    if (rest == 1 || end - to != (4 - rest) % 4) {
      return null;
    }
    byte[] decoded = new byte[(to - from) / 4 * 3 + (rest == 0 ? 0 : rest - 1)];
    int size = 0;
    int bits = 0;
    int held = 0;
    for (int at = from; at < to; at++) {
      int value = text[at] < 0 ? -1 : VALUES[text[at]];
      if (value < 0) {
        return null;
      }
      held = (held << 6 | value) & 0xffff;
      bits += 6;
      if (bits >= 8) {
        bits -= 8;
        decoded[size++] = (byte) (held >> bits);
      }
    }
    return decoded;
  }
}
