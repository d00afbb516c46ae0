package weir.state;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/** A row and its time, in µs. */
record TimedRow(long at, byte[] row) {
  /** By time; rows of one time by what they hold, so that the order is the same whenever they came. */
  static final Comparator<TimedRow> ORDER = Comparator.comparingLong(TimedRow::at).thenComparing(TimedRow::row, Arrays::compareUnsigned);

  static int size(List<TimedRow> rows) {
    return rows.stream().mapToInt(one -> Long.BYTES + Pieces.size(one.row)).sum();
  }

  static void write(List<TimedRow> rows, ByteBuffer into) {
    for (TimedRow one : rows) {
      into.putLong(one.at);
      Pieces.put(into, one.row);
    }
  }

  /** Adds the rows in the rest of these bytes. */
  static void read(ByteBuffer from, List<TimedRow> rows) {
    while (from.hasRemaining()) {
      rows.add(new TimedRow(from.getLong(), Pieces.get(from)));
    }
  }

  /** How many of these rows, which are in order, are at or before a time. */
  static int until(List<TimedRow> rows, long time) {
    int low = 0;
    int high = rows.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (rows.get(middle).at <= time) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
