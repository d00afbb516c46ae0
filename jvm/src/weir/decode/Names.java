package weir.decode;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/** Names of members, found by their bytes. Members mostly come in one order, so that the one after the last is tried first. */
final class Names {
  private static final int FEW = 8;
  private final byte[][] names;
  private final int[] table; // of more than a few: one more than the index, by hash; 0 for none

  private Names(byte[][] names) {
    this.names = names;
    this.table = names.length > FEW ? new int[Integer.highestOneBit(names.length) * 4] : null;
    if (table != null) {
      for (int index = 0; index < names.length; index++) {
        int place = place(names[index], 0, names[index].length);
        while (table[place] != 0) {
          place = (place + 1) & (table.length - 1);
        }
        table[place] = index + 1;
      }
    }
  }

  static Names of(List<String> names) {
    return new Names(names.stream().map(name -> name.getBytes(StandardCharsets.UTF_8)).toArray(byte[][]::new));
  }

  int size() {
    return names.length;
  }

  /** The index of a name, or -1; `expected` is tried first, and may be beyond the last. */
  int find(byte[] text, int from, int to, int expected) {
    if (expected < names.length && isName(expected, text, from, to)) {
      return expected;
    }
    return table == null ? ofFew(text, from, to) : ofMany(text, from, to);
  }

  private int ofFew(byte[] text, int from, int to) {
    for (int index = 0; index < names.length; index++) {
      if (isName(index, text, from, to)) {
        return index;
      }
    }
    return -1;
  }

  private int ofMany(byte[] text, int from, int to) {
    int place = place(text, from, to);
    while (table[place] != 0) {
      int index = table[place] - 1;
      if (isName(index, text, from, to)) {
        return index;
      }
      place = (place + 1) & (table.length - 1);
    }
    return -1;
  }

  private boolean isName(int index, byte[] text, int from, int to) {
    byte[] name = names[index];
    return name.length == to - from && Arrays.equals(name, 0, name.length, text, from, to);
  }

  private int place(byte[] text, int from, int to) {
    int hash = to - from;
    for (int at = from; at < to; at++) {
      hash = 31 * hash + text[at];
    }
    return (hash ^ hash >>> 15) & (table.length - 1);
  }
}
