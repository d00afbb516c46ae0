package weir.state;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** An entry of a table: from a time on (µs), what its key holds; null where it deletes the key. */
record Version(long at, int partition, long offset, byte[] entry) {
  /** The order in which entries of a key follow each other. */
  static final Comparator<Version> ORDER =
      Comparator.comparingLong(Version::at).thenComparingInt(Version::partition).thenComparingLong(Version::offset);

  private static final int HEAD = Long.BYTES + Integer.BYTES + Long.BYTES;

  byte[] write() {
    return write(List.of(this));
  }

  /** Of what {@link #write()} gave; null of null. */
  static Version read(byte[] state) {
    return state == null ? null : readFrom(ByteBuffer.wrap(state));
  }

  static byte[] write(List<Version> versions) {
    ByteBuffer into = ByteBuffer.allocate(size(versions));
    write(versions, into);
    return into.array();
  }

  static int size(List<Version> versions) {
    return versions.stream().mapToInt(one -> HEAD + Pieces.size(one.entry)).sum();
  }

  static void write(List<Version> versions, ByteBuffer into) {
    for (Version one : versions) {
      into.putLong(one.at).putInt(one.partition).putLong(one.offset);
      Pieces.put(into, one.entry);
    }
  }

  /** Those in the rest of these bytes. */
  static List<Version> readAll(ByteBuffer from) {
    List<Version> found = new ArrayList<>();
    while (from.hasRemaining()) {
      found.add(readFrom(from));
    }
    return found;
  }

  private static Version readFrom(ByteBuffer from) {
    return new Version(from.getLong(), from.getInt(), from.getLong(), Pieces.get(from));
  }
}
