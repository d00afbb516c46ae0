package weir.patterns;

import java.util.Arrays;
import org.apache.spark.unsafe.types.UTF8String;

/** Bytes that grow. */
final class Bytes {
  private byte[] held;
  private int size;

  Bytes(int room) {
    held = new byte[room];
  }

  void add(byte[] from, int start, int end) {
    int added = end - start;
    if (size + added > held.length) {
      held = Arrays.copyOf(held, Math.max(held.length * 2, size + added));
    }
    System.arraycopy(from, start, held, size, added);
    size += added;
  }

  UTF8String text() {
    return UTF8String.fromBytes(held, 0, size);
  }
}
