package weir.state;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.streaming.MapState;
import org.apache.spark.sql.streaming.ValueState;

/**
 * The versions of a key, in order: the newest in one value, those before them in chunks, so that an entry costs what it is near to and not all that the
 * key ever had.
 *
 * <p>State: of each chunk its number and the time of its first version, then the newest versions; the chunks. Of versions of one time the last of all
 * is in the last place that has any, which is all that a look-up asks.
 */
final class Versions {
  private static final int CHUNK = 256; // versions; up to twice as many are in the value

  /** A chunk: where it is, and the time of its first version. */
  private record Chunk(long number, long first) {}

  private final ValueState<byte[]> newestState;
  private final MapState<Long, byte[]> chunkState;
  private final List<Chunk> chunks = new ArrayList<>();
  private List<Version> newest = new ArrayList<>();

  private long readNumber;
  private List<Version> read; // the chunk read last; null: none

  Versions(ValueState<byte[]> newestState, MapState<Long, byte[]> chunkState) {
    this.newestState = newestState;
    this.chunkState = chunkState;
  }

  /** Those of the key at hand. */
  void load() {
    chunks.clear();
    newest = new ArrayList<>();
    read = null;
    byte[] state = newestState.get();
    if (state == null) {
      return;
    }
    ByteBuffer from = ByteBuffer.wrap(state);
    for (int count = from.getInt(); count > 0; count--) {
      chunks.add(new Chunk(from.getLong(), from.getLong()));
    }
    newest = Version.readAll(from);
  }

  /** Adds entries, of whatever times. */
  void add(List<Version> entries) {
    for (Version entry : entries) {
      if (chunks.isEmpty() || entry.at() >= newest.get(0).at()) {
        newest.add(entry);
      } else {
        insert(entry);
      }
    }
    newest.sort(Version.ORDER);
    int from = 0;
    while (newest.size() - from > 2 * CHUNK) {
      long number = chunks.isEmpty() ? 0 : chunks.get(chunks.size() - 1).number + 1;
      List<Version> oldest = newest.subList(from, from + CHUNK);
      chunkState.updateValue(number, Version.write(oldest));
      chunks.add(new Chunk(number, oldest.get(0).at()));
      from += CHUNK;
    }
    newest = new ArrayList<>(newest.subList(from, newest.size()));
  }

  /** Into the chunk of its time, which grows by what comes out of order. */
  private void insert(Version entry) {
    int index = Math.max(chunkAt(entry.at()), 0);
    Chunk chunk = chunks.get(index);
    List<Version> versions = versionsOf(chunk);
    versions.add(entry);
    versions.sort(Version.ORDER);
    chunkState.updateValue(chunk.number, Version.write(versions));
    chunks.set(index, new Chunk(chunk.number, versions.get(0).at()));
  }

  /** What the key held at a time; null where it was absent. */
  byte[] entryAt(long at) {
    List<Version> versions = newest;
    if (newest.isEmpty() || newest.get(0).at() > at) {
      int index = chunkAt(at);
      if (index < 0) {
        return null;
      }
      versions = versionsOf(chunks.get(index));
    }
    return versions.get(until(versions, at) - 1).entry();
  }

  /** Drops the versions up to a time but for the last of them; of a chunk only when all of it goes. */
  void prune(long time) {
    int gone = 0;
    while (gone < chunks.size() && (gone + 1 < chunks.size() ? chunks.get(gone + 1).first : newest.get(0).at()) <= time) {
      chunkState.removeKey(chunks.get(gone++).number);
    }
    chunks.subList(0, gone).clear();
    if (chunks.isEmpty()) {
      newest.subList(0, Math.max(until(newest, time) - 1, 0)).clear();
    }
  }

  /** Keeps what was changed; chunks are kept already. */
  void store() {
    ByteBuffer into = ByteBuffer.allocate(Integer.BYTES + chunks.size() * 2 * Long.BYTES + Version.size(newest));
    into.putInt(chunks.size());
    for (Chunk chunk : chunks) {
      into.putLong(chunk.number).putLong(chunk.first);
    }
    Version.write(newest, into);
    newestState.update(into.array());
  }

  boolean hasSeveral() {
    return newest.size() > 1 || !chunks.isEmpty();
  }

  /** The time of the last version; there is one. */
  long lastAt() {
    return newest.get(newest.size() - 1).at();
  }

  private List<Version> versionsOf(Chunk chunk) {
    if (read == null || readNumber != chunk.number) {
      read = Version.readAll(ByteBuffer.wrap(chunkState.getValue(chunk.number)));
      readNumber = chunk.number;
    }
    return read;
  }

  /** The last chunk that begins at or before a time; -1 for none. */
  private int chunkAt(long at) {
    int low = 0;
    int high = chunks.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (chunks.get(middle).first <= at) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low - 1;
  }

  /** How many of these versions are at or before a time. */
  private static int until(List<Version> versions, long at) {
    int low = 0;
    int high = versions.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (versions.get(middle).at() <= at) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
