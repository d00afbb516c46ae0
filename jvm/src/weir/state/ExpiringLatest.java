package weir.state;

import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.streaming.ValueState;

/**
 * latest with a ttl ({@code docs/semantics/latest.md}): gives a key's row out when it is the newest, and takes the key away once the watermark
 * is far enough past it.
 *
 * <p>State: time, rank, and key and times ({@code _own}) of the newest row, and the timer that stands. What else the row holds has been written
 * when it came.
 */
public final class ExpiringLatest extends KeyedProcessor {
  // Columns of its rows: _key, _at bigint, _rank binary, _row binary, _own binary, _deletes boolean.
  private static final int AT = 1;
  private static final int RANK = 2;
  private static final int ROW = 3;
  private static final int OWN = 4;
  private static final int DELETES = 5;
  private static final String OUTPUT = "_row binary, _own binary, _deleted boolean";

  private final boolean byRank;
  private final long ttl;
  private final RowRank order;
  private transient ValueState<byte[]> state;

  /**
   * Of rows whose rank is a packed struct.
   *
   * @param byRank the rank alone says which row is newer; otherwise the time does first.
   * @param ttl with the slack, in µs.
   * @param rank schema of the rank, as JSON.
   */
  public ExpiringLatest(boolean byRank, long ttl, String rank) {
    super(OUTPUT);
    this.byRank = byRank;
    this.ttl = ttl;
    this.order = new RowRank(rank);
  }

  private record Newest(long at, byte[] rank, byte[] own, long timer) {
    byte[] write() {
      ByteBuffer into = ByteBuffer.allocate(2 * Long.BYTES + Pieces.size(rank) + Pieces.size(own));
      into.putLong(at).putLong(timer);
      Pieces.put(into, rank);
      Pieces.put(into, own);
      return into.array();
    }

    static Newest read(byte[] state) {
      ByteBuffer from = ByteBuffer.wrap(state);
      long at = from.getLong();
      long timer = from.getLong();
      return new Newest(at, Pieces.get(from), Pieces.get(from), timer);
    }
  }

  @Override
  protected void open() {
    state = bytes("newest");
  }

  @Override
  protected Iterator<Row> advance(Iterator<Row> arrived, long watermarkMs, long fired) {
    byte[] stored = state.get();
    Newest newest = stored == null ? null : Newest.read(stored);
    if (fired != NO_TIMER) {
      return newest != null && newest.timer == fired ? expired(newest) : Collections.emptyIterator();
    }
    Row found = null;
    long at = newest == null ? 0 : newest.at;
    byte[] rank = newest == null ? null : newest.rank;
    while (arrived.hasNext()) {
      Row row = arrived.next();
      byte[] other = row.getAs(RANK);
      if (rank == null || isNewer(row.getLong(AT), other, at, rank)) {
        found = row;
        at = row.getLong(AT);
        rank = other;
      }
    }
    return found == null ? Collections.emptyIterator() : taken(found, newest == null ? NO_TIMER : newest.timer, watermarkMs);
  }

  private boolean isNewer(long at, byte[] rank, long than, byte[] thanRank) {
    return byRank || at == than ? order.compare(rank, thanRank) > 0 : at > than;
  }

  private Iterator<Row> expired(Newest newest) {
    state.clear();
    return one(null, newest.own, true);
  }

  private Iterator<Row> taken(Row row, long timer, long watermarkMs) {
    long at = row.getLong(AT);
    byte[] own = row.getAs(OWN);
    long expiry = milliseconds(at + ttl);
    if (expiry <= watermarkMs) { // a timer at the watermark itself was seen to be lost
      moveTimer(timer, NO_TIMER, NO_TIMER);
      state.clear();
      return one(null, own, true);
    }
    moveTimer(timer, NO_TIMER, expiry);
    state.update(new Newest(at, row.getAs(RANK), own, expiry).write());
    return one(row.getAs(ROW), own, row.getBoolean(DELETES));
  }

  private static Iterator<Row> one(byte[] row, byte[] own, boolean deleted) {
    return List.of(RowFactory.create(row, own, deleted)).iterator();
  }
}
