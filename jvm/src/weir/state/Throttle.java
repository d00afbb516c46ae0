package weir.state;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.streaming.ValueState;

/**
 * throttle ({@code docs/semantics/throttle.md}): holds rows until the watermark releases them, then says which of them pass.
 *
 * <p>State: where the open interval began, and of `last` its newest row so far; the one timer that stands; held rows.
 */
public final class Throttle extends KeyedProcessor {
  // Columns of its rows: _key, _at bigint, _rank binary, _row binary.
  private static final int AT = 1;
  private static final int RANK = 2;
  private static final int ROW = 3;
  private static final String OUTPUT = "_row binary";
  private static final long NO_INTERVAL = Long.MIN_VALUE; // before every instant

  private final long every;
  private final long slack;
  private final boolean last;
  private final RowRank ranks;
  private transient ValueState<byte[]> state;
  private transient long start;
  private transient byte[] newest;

  /**
   * Of rows whose rank, a packed struct, orders rows of one time.
   *
   * @param every length of an interval, in µs.
   * @param slack how long after the watermark has passed them rows are released, in µs.
   * @param last the last row of an interval passes, not the first.
   * @param rank schema of the rank, as JSON.
   */
  public Throttle(long every, long slack, boolean last, String rank) {
    super(OUTPUT);
    this.every = every;
    this.slack = slack;
    this.last = last;
    this.ranks = new RowRank(rank);
  }

  private record Held(long at, byte[] rank, byte[] row) {}

  @Override
  protected void open() {
    state = bytes("throttle");
  }

  @Override
  protected Iterator<Row> advance(Iterator<Row> arrived, long watermarkMs, long fired) {
    List<Held> waiting = new ArrayList<>();
    long timer = read(waiting);
    arrived.forEachRemaining(row -> waiting.add(new Held(row.getLong(AT), row.getAs(RANK), row.getAs(ROW))));
    waiting.sort(Comparator.comparingLong(Held::at).thenComparing(Held::rank, ranks::compare));
    long limit = watermarkMs * 1_000 - slack;
    List<Row> passed = new ArrayList<>();
    int released = 0;
    while (released < waiting.size() && waiting.get(released).at <= limit) {
      release(waiting.get(released++), passed);
    }
    if (start != NO_INTERVAL && start + every <= limit) {
      close(passed);
      start = NO_INTERVAL;
    }
    keep(waiting.subList(released, waiting.size()), timer, fired);
    return passed.iterator();
  }

  private void release(Held held, List<Row> passed) {
    if (start == NO_INTERVAL || held.at - start >= every) {
      close(passed);
      start = held.at;
      if (!last) {
        passed.add(RowFactory.create((Object) held.row));
      }
    }
    newest = last ? held.row : null;
  }

  /** The interval is over: of `last` its newest row passes. */
  private void close(List<Row> passed) {
    if (newest != null) {
      passed.add(RowFactory.create((Object) newest));
    }
    newest = null;
  }

  private long read(List<Held> waiting) {
    start = NO_INTERVAL;
    newest = null;
    byte[] stored = state.get();
    if (stored == null) {
      return NO_TIMER;
    }
    ByteBuffer from = ByteBuffer.wrap(stored);
    long timer = from.getLong();
    start = from.getLong();
    newest = Pieces.get(from);
    while (from.hasRemaining()) {
      waiting.add(new Held(from.getLong(), Pieces.get(from), Pieces.get(from)));
    }
    return timer;
  }

  private void keep(List<Held> waiting, long timer, long fired) {
    long due = waiting.isEmpty() ? Long.MAX_VALUE : waiting.get(0).at;
    if (start != NO_INTERVAL) {
      due = Math.min(due, start + every);
    }
    // What is left is due later than the watermark. A timer at the watermark itself was seen to be lost, so it is registered for the millisecond
    // in which the first of it is due, never before.
    long wanted = due == Long.MAX_VALUE ? NO_TIMER : milliseconds(due + slack);
    moveTimer(timer, fired, wanted);
    if (wanted == NO_TIMER) {
      state.clear();
      return;
    }
    int size = 2 * Long.BYTES + Pieces.size(newest);
    for (Held held : waiting) {
      size += Long.BYTES + Pieces.size(held.rank) + Pieces.size(held.row);
    }
    ByteBuffer into = ByteBuffer.allocate(size);
    into.putLong(wanted).putLong(start);
    Pieces.put(into, newest);
    for (Held held : waiting) {
      into.putLong(held.at);
      Pieces.put(into, held.rank);
      Pieces.put(into, held.row);
    }
    state.update(into.array());
  }
}
