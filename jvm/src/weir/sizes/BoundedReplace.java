package weir.sizes;

import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.array.ByteArrayMethods;
import org.apache.spark.unsafe.types.UTF8String;

/** {@code weir_replace(text, search, replacement, limit)}: Spark's replace, whose result has a bound. */
public final class BoundedReplace {
  private BoundedReplace() {}

  /** Every occurrence replaced; null when that is larger than the text and than so many bytes. */
  public static UTF8String replaced(UTF8String text, UTF8String search, UTF8String replacement, int limit) {
    int more = replacement.numBytes() - search.numBytes();
    if (more <= 0 || search.numBytes() == 0) {
      return text.replace(search, replacement);
    }
    long size = text.numBytes();
    for (int at = find(text, search, 0); at >= 0; at = find(text, search, at + search.numBytes())) {
      size += more;
      if (size > limit) {
        return null;
      }
    }
    return text.replace(search, replacement);
  }

  private static int find(UTF8String text, UTF8String search, int from) {
    byte first = search.getByte(0);
    for (int at = from; at <= text.numBytes() - search.numBytes(); at++) {
      if (Platform.getByte(text.getBaseObject(), text.getBaseOffset() + at) == first
          && ByteArrayMethods.arrayEquals(
              text.getBaseObject(), text.getBaseOffset() + at, search.getBaseObject(), search.getBaseOffset(), search.numBytes())) {
        return at;
      }
    }
    return -1;
  }
}
