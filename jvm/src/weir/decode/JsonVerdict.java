package weir.decode;

import org.apache.spark.unsafe.types.UTF8String;

/** Why bytes that could not be read as JSON were none. Only such records come here. */
final class JsonVerdict {
  private JsonVerdict() {}

  /** NOT_JSON or TOO_DEEP, as {@code parse_any} of {@code jobs/formats/json_text.py} says it: brackets are counted before anything is parsed. */
  static UTF8String of(byte[] bytes, int from) {
    return Utf8.isValid(bytes, from, bytes.length) && depthOf(bytes, from) > JsonReader.MAX_DEPTH ? Reason.TOO_DEEP : Reason.NOT_JSON;
  }

  /** The most brackets that are open at once, outside quotes; a quote that is not closed goes to the end. */
  private static int depthOf(byte[] bytes, int from) {
    int depth = 0;
    int deepest = 0;
    boolean quoted = false;
    for (int at = from; at < bytes.length; at++) {
      byte sign = bytes[at];
      if (quoted) {
        if (sign == '\\') {
          at++;
        }
        quoted = sign != '"';
      } else if (sign == '"') {
        quoted = true;
      } else if (sign == '{' || sign == '[') {
        deepest = Math.max(deepest, ++depth);
      } else if (sign == '}' || sign == ']') {
        depth--;
      }
    }
    return deepest;
  }
}
