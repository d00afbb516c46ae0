package weir.decode;

import org.apache.spark.unsafe.types.UTF8String;

/**
 * Reads JSON out of bytes, as strictly as Python's parser does: one value after the other, each checked to its end whether somebody wants it or
 * not. Nothing is built but what is asked for.
 *
 * <p>The bare words NaN, Infinity and -Infinity are numbers, as there. Every method expects its value to begin at {@link #at}.
 */
final class JsonReader {
  static final int MAX_DEPTH = 64;
  private static final long MAX_MEMBERS = 1_000_000; // of all structs of a row: jobs/formats/member_limit.py
  private static final byte[] NAN = {'N', 'a', 'N'};
  private static final byte[] INFINITY = {'I', 'n', 'f', 'i', 'n', 'i', 't', 'y'};
  private static final byte[] TRUE = {'t', 'r', 'u', 'e'};
  private static final byte[] FALSE = {'f', 'a', 'l', 's', 'e'};
  private static final byte[] NULL = {'n', 'u', 'l', 'l'};

  byte[] bytes;
  int at;
  private int end;
  private int depth;
  private long members;

  // What the last text was: its bytes without quotes, and whether it is no text, for a surrogate stands alone in it.
  byte[] text;
  int textFrom;
  int textTo;
  boolean textBroken;
  private byte[] scratch = new byte[64];

  // What the last number was.
  int numberFrom;
  boolean isWhole;
  boolean isWord;

  void reset(byte[] given, int from) {
    bytes = given;
    at = from;
    end = given.length;
    depth = 0;
  }

  /** Before the fields of a row: no struct of it is there yet. */
  void beginRow() {
    members = 0;
  }

  /** Counts the members of one more struct of the row; false where they are too many, and it is not built. */
  boolean takes(int more) {
    members += more;
    return members <= MAX_MEMBERS;
  }

  boolean holdsTooMany() {
    return members > MAX_MEMBERS;
  }

  /** The first byte of the next value or sign; blanks before it are passed over. */
  byte next() {
    int here = at;
    while (here < end) {
      byte sign = bytes[here];
      if (sign > ' ' || (sign != ' ' && sign != '\n' && sign != '\r' && sign != '\t')) {
        at = here;
        return sign;
      }
      here++;
    }
    throw NotJson.HERE;
  }

  /** Only blanks may follow. */
  void finish() {
    while (at < end) {
      byte sign = bytes[at++];
      if (sign != ' ' && sign != '\n' && sign != '\r' && sign != '\t') {
        throw NotJson.HERE;
      }
    }
  }

  /** Opens an object or array; false where it is empty, and closed again. */
  boolean open(char closing) {
    if (++depth > MAX_DEPTH) {
      throw NotJson.HERE;
    }
    at++;
    if (next() == closing) {
      close();
      return false;
    }
    return true;
  }

  /** After a member or element: whether another one follows; else the object or array is closed. */
  boolean more(char closing) {
    byte sign = next();
    if (sign == ',') {
      at++;
      next();
      return true;
    }
    if (sign != closing) {
      throw NotJson.HERE;
    }
    close();
    return false;
  }

  private void close() {
    at++;
    depth--;
  }

  /** Reads a member's name as a text, and the colon; its value begins there then. */
  void name() {
    if (bytes[at] != '"') {
      throw NotJson.HERE;
    }
    string();
    if (next() != ':') {
      throw NotJson.HERE;
    }
    at++;
    next();
  }

  boolean isNull() {
    if (bytes[at] != 'n') {
      return false;
    }
    word(NULL);
    return true;
  }

  /** A boolean: false where it is none, and then nothing is read. */
  boolean isBoolean() {
    return bytes[at] == 't' || bytes[at] == 'f';
  }

  boolean bool() {
    boolean value = bytes[at] == 't';
    word(value ? TRUE : FALSE);
    return value;
  }

  boolean isNumber() {
    byte sign = bytes[at];
    return (sign >= '0' && sign <= '9') || sign == '-' || sign == 'N' || sign == 'I';
  }

  private void word(byte[] wanted) {
    if (end - at < wanted.length) {
      throw NotJson.HERE;
    }
    for (int here = 0; here < wanted.length; here++) {
      if (bytes[at + here] != wanted[here]) {
        throw NotJson.HERE;
      }
    }
    at += wanted.length;
  }

  /** Reads a number: it is between {@link #numberFrom} and {@link #at}. */
  void number() {
    numberFrom = at;
    isWhole = true;
    isWord = false;
    if (bytes[at] == '-') {
      at++;
    }
    byte first = at < end ? bytes[at] : 0;
    if (first == '0') {
      at++;
    } else if (first >= '1' && first <= '9') {
      digits();
    } else {
      special(first);
      return;
    }
    if (at < end && bytes[at] == '.') {
      isWhole = false;
      at++;
      digits();
    }
    if (at < end && (bytes[at] | 0x20) == 'e') {
      isWhole = false;
      at++;
      if (at < end && (bytes[at] == '+' || bytes[at] == '-')) {
        at++;
      }
      digits();
    }
  }

  private void special(byte first) {
    isWhole = false;
    isWord = true;
    if (first == 'I') {
      word(INFINITY);
    } else if (first == 'N' && at == numberFrom) {
      word(NAN);
    } else {
      throw NotJson.HERE;
    }
  }

  private void digits() {
    int from = at;
    while (at < end && bytes[at] >= '0' && bytes[at] <= '9') {
      at++;
    }
    if (at == from) {
      throw NotJson.HERE;
    }
  }

  /** Reads a text: its bytes are between {@link #textFrom} and {@link #textTo} of {@link #text}. */
  void string() {
    int here = ++at;
    while (here < end) {
      byte sign = bytes[here];
      if (sign >= ' ') {
        if (sign == '"') {
          text = bytes;
          textFrom = at;
          textTo = here;
          textBroken = false;
          at = here + 1;
          return;
        }
        if (sign == '\\') {
          escaped(here);
          return;
        }
        here++;
      } else if (sign < 0) {
        here = character(here);
      } else {
        throw NotJson.HERE;
      }
    }
    throw NotJson.HERE;
  }

  private int character(int here) {
    int length = Utf8.lengthAt(bytes, here, end);
    if (length == 0) {
      throw NotJson.HERE;
    }
    return here + length;
  }

  /** The rest of a text from its first backslash on. */
  private void escaped(int backslash) {
    int here = backslash;
    int size = backslash - at;
    room(size + 4);
    System.arraycopy(bytes, at, scratch, 0, size);
    textBroken = false;
    while (here < end) {
      byte sign = bytes[here];
      room(size + 4);
      if (sign == '"') {
        text = scratch;
        textFrom = 0;
        textTo = size;
        at = here + 1;
        return;
      }
      if (sign == '\\') {
        at = here;
        size = escape(size);
        here = at;
      } else if (sign >= ' ') {
        scratch[size++] = sign;
        here++;
      } else if (sign < 0) {
        int after = character(here);
        while (here < after) {
          scratch[size++] = bytes[here++];
        }
      } else {
        throw NotJson.HERE;
      }
    }
    throw NotJson.HERE;
  }

  private void room(int size) {
    if (size > scratch.length) {
      scratch = java.util.Arrays.copyOf(scratch, 2 * size);
    }
  }

  private int escape(int size) {
    if (end - at < 2) {
      throw NotJson.HERE;
    }
    byte kind = bytes[at + 1];
    if (kind == 'u') {
      return unicode(size);
    }
    at += 2;
    scratch[size] =
        switch (kind) {
          case '"', '\\', '/' -> kind;
          case 'b' -> (byte) '\b';
          case 'f' -> (byte) '\f';
          case 'n' -> (byte) '\n';
          case 'r' -> (byte) '\r';
          case 't' -> (byte) '\t';
          default -> throw NotJson.HERE;
        };
    return size + 1;
  }

  private int unicode(int size) {
    int code = hex(at + 2);
    if (code < 0) {
      throw NotJson.HERE;
    }
    at += 6;
    if (code >= 0xd800 && code < 0xdc00 && end - at >= 2 && bytes[at] == '\\' && bytes[at + 1] == 'u') {
      int low = hex(at + 2);
      if (low >= 0xdc00 && low < 0xe000) {
        at += 6;
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
      }
    }
    textBroken |= code >= 0xd800 && code < 0xe000;
    return encode(code, size);
  }

  private int hex(int from) {
    if (end - from < 4) {
      return -1;
    }
    int code = 0;
    for (int here = from; here < from + 4; here++) {
      byte sign = bytes[here];
      int digit = sign < 0 ? -1 : Character.digit((char) sign, 16);
      if (digit < 0) {
        return -1;
      }
      code = code * 16 + digit;
    }
    return code;
  }

  private int encode(int code, int size) {
    int to = size;
    if (code < 0x80) {
      scratch[to++] = (byte) code;
    } else if (code < 0x800) {
      scratch[to++] = (byte) (0xc0 | code >> 6);
      scratch[to++] = (byte) (0x80 | code & 0x3f);
    } else if (code < 0x10000) {
      scratch[to++] = (byte) (0xe0 | code >> 12);
      scratch[to++] = (byte) (0x80 | code >> 6 & 0x3f);
      scratch[to++] = (byte) (0x80 | code & 0x3f);
    } else {
      scratch[to++] = (byte) (0xf0 | code >> 18);
      scratch[to++] = (byte) (0x80 | code >> 12 & 0x3f);
      scratch[to++] = (byte) (0x80 | code >> 6 & 0x3f);
      scratch[to++] = (byte) (0x80 | code & 0x3f);
    }
    return to;
  }

  /** The last text for Spark, which lives as long as the record's bytes. */
  UTF8String textValue() {
    if (text == bytes) {
      return UTF8String.fromBytes(bytes, textFrom, textTo - textFrom);
    }
    return UTF8String.fromBytes(java.util.Arrays.copyOfRange(text, textFrom, textTo));
  }

  /** Reads a value that nobody wants. */
  void skip() {
    switch (bytes[at]) {
      case '"' -> string();
      case '{' -> {
        if (open('}')) {
          do {
            name();
            skip();
          } while (more('}'));
        }
      }
      case '[' -> {
        if (open(']')) {
          do {
            skip();
          } while (more(']'));
        }
      }
      case 't' -> word(TRUE);
      case 'f' -> word(FALSE);
      case 'n' -> word(NULL);
      default -> number();
    }
  }

  /** Goes back to a value that begins there, and was read before: how deep it is counts no more. */
  void again(int to) {
    at = to;
    depth = 0;
  }

  /** Goes back to a value that begins there, on the same level. */
  void back(int to) {
    at = to;
  }
}
