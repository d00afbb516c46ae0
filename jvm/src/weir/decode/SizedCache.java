package weir.decode;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Values that were used last, up to a size of all: {@code jobs/base/sized_cache.py}. The newest is kept whatever its size. For one thread at a time.
 */
final class SizedCache<K, V> {
  private record Kept<V>(V value, long size) {}

  private final long most;
  private final Map<K, Kept<V>> kept = new LinkedHashMap<>(16, 0.75f, true);
  private long size;

  /** @param most the size of all values together. */
  SizedCache(long most) {
    this.most = most;
  }

  /** Null where there is none, or none any more. */
  V get(K key) {
    Kept<V> found = kept.get(key);
    return found == null ? null : found.value;
  }

  void put(K key, V value, long itsSize) {
    remove(key);
    kept.put(key, new Kept<>(value, itsSize));
    size += itsSize;
    Iterator<Kept<V>> eldest = kept.values().iterator();
    while (size > most && kept.size() > 1) {
      size -= eldest.next().size;
      eldest.remove();
    }
  }

  void remove(K key) {
    Kept<V> before = kept.remove(key);
    size -= before == null ? 0 : before.size;
  }

  void clear() {
    kept.clear();
    size = 0;
  }
}
