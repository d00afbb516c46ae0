package weir.state;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.streaming.ValueState;

/**
 * Sliding windows ({@code docs/semantics/windows.md#sliding}): holds rows until the watermark releases them, then gives each row once for every
 * window that it is in, with the window's time. A window ends with the rows of one time.
 *
 * <p>State: the watermark at the last release, the one timer that stands, and rows by time: held ones, and those that windows to come still reach back to.
 */
public final class SlidingWindows extends KeyedProcessor {
  // Columns of its rows: _key, _at bigint, _row binary.
  private static final int AT = 1;
  private static final int ROW = 2;
  private static final String OUTPUT = "_window_at bigint, _row binary";

  private final long size;
  private final long slack;
  private transient ValueState<byte[]> state;

  /** Of windows of `size` µs. Rows are released `slack` µs after the watermark has passed them. */
  public SlidingWindows(long size, long slack) {
    super(OUTPUT);
    this.size = size;
    this.slack = slack;
  }

  @Override
  protected void open() {
    state = bytes("rows");
  }

  @Override
  protected Iterator<Row> advance(Iterator<Row> arrived, long watermarkMs, long fired) {
    List<TimedRow> rows = new ArrayList<>();
    long edge = 0;
    long timer = NO_TIMER;
    byte[] stored = state.get();
    if (stored != null) {
      ByteBuffer from = ByteBuffer.wrap(stored);
      edge = from.getLong();
      timer = from.getLong();
      TimedRow.read(from, rows);
    }
    arrived.forEachRemaining(row -> rows.add(new TimedRow(row.getLong(AT), row.getAs(ROW))));
    rows.sort(TimedRow.ORDER);
    long limit = watermarkMs * 1_000 - slack;
    int released = TimedRow.until(rows, edge);
    int due = TimedRow.until(rows, limit);
    int kept = TimedRow.until(rows, limit - size);
    keep(rows.subList(kept, rows.size()), Math.max(edge, limit), due - kept, timer, fired);
    return due > released ? new Windows(rows, released, due) : Collections.emptyIterator();
  }

  private void keep(List<TimedRow> rows, long edge, int heldFrom, long timer, long fired) {
    if (rows.isEmpty()) {
      state.clear();
      moveTimer(timer, fired, NO_TIMER);
      return;
    }
    long wanted = heldFrom < rows.size() ? rows.get(heldFrom).at() : rows.get(rows.size() - 1).at() + size;
    // A row is due once the watermark has reached it. A timer a millisecond earlier is in time whether Spark lets it fire when it is reached or
    // when it is passed; should it fire too early, the next one stands at the moment itself.
    long due = milliseconds(wanted + slack);
    long expiry = fired == due - 1 ? due : due - 1;
    moveTimer(timer, fired, expiry);
    ByteBuffer into = ByteBuffer.allocate(2 * Long.BYTES + TimedRow.size(rows));
    into.putLong(edge).putLong(expiry);
    TimedRow.write(rows, into);
    state.update(into.array());
  }

  /** Each row of each window, computed as it is asked for: rows times windows may be many. */
  private final class Windows implements Iterator<Row> {
    private final List<TimedRow> rows;
    private final int due;
    private int end; // the last row of the window
    private int next; // the window's row that comes next

    Windows(List<TimedRow> rows, int released, int due) {
      this.rows = rows;
      this.due = due;
      begin(released);
    }

    private void begin(int from) {
      end = from;
      while (end + 1 < due && rows.get(end + 1).at() == rows.get(end).at()) {
        end++;
      }
      if (end < due) {
        next = TimedRow.until(rows, rows.get(end).at() - size);
      }
    }

    @Override
    public boolean hasNext() {
      return end < due;
    }

    @Override
    public Row next() {
      Row row = RowFactory.create(rows.get(end).at(), rows.get(next).row());
      next++;
      if (next > end) {
        begin(end + 1);
      }
      return row;
    }
  }
}
