package weir.state;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.streaming.TTLConfig;
import org.apache.spark.sql.streaming.ValueState;

/**
 * table_join of version as_of ({@code docs/semantics/table-join.md}): rows look up the table as it was at their time, once the watermark
 * releases them.
 *
 * <p>State: the key's {@link Versions}, from the newest that is older than the retention on; the timers that stand for held rows and for versions that
 * will be too old, and held rows by time.
 */
public final class AsOfJoin extends KeyedProcessor {
  private final boolean inner;
  private final long slack;
  private final long retention;
  private transient Versions versions;
  private transient ValueState<byte[]> heldState;

  // Of the key at hand: the timer for its held rows, and the one at which its versions but the last are too old.
  private transient long rowTimer;
  private transient long versionTimer;

  /** An inner join drops rows without an entry. Rows are released `slack` µs after the watermark has passed them. */
  public AsOfJoin(boolean inner, long slack, long retention) {
    super(TableRows.OUTPUT);
    this.inner = inner;
    this.slack = slack;
    this.retention = retention;
  }

  @Override
  protected void open() {
    versions = new Versions(bytes("versions"), getHandle().getMapState("chunks", Encoders.LONG(), Encoders.BINARY(), TTLConfig.NONE()));
    heldState = bytes("held");
  }

  @Override
  protected Iterator<Row> advance(Iterator<Row> arrived, long watermarkMs, long fired) {
    List<Version> entries = new ArrayList<>();
    List<TimedRow> rows = new ArrayList<>();
    arrived.forEachRemaining(
        row -> {
          if (TableRows.isEntry(row)) {
            entries.add(TableRows.version(row));
          } else {
            rows.add(new TimedRow(TableRows.at(row), TableRows.whole(row)));
          }
        });
    boolean came = !rows.isEmpty();
    readHeld(rows);
    rows.sort(TimedRow.ORDER);
    long limit = watermarkMs * 1_000 - slack;
    int due = TimedRow.until(rows, limit);
    boolean isPruned = !entries.isEmpty() || (fired != NO_TIMER && fired == versionTimer);
    if (isPruned || due > 0) {
      versions.load();
    }
    if (!entries.isEmpty()) {
      versions.add(entries);
    }
    List<Row> joined = joined(rows.subList(0, due));
    long timer = isPruned ? prunedVersions(limit - retention, fired) : versionTimer;
    if (due > 0 || came || fired != NO_TIMER || timer != versionTimer) {
      keepRows(rows.subList(due, rows.size()), timer, fired);
    }
    return joined.iterator();
  }

  private List<Row> joined(List<TimedRow> due) {
    List<Row> joined = new ArrayList<>(due.size());
    for (TimedRow row : due) {
      byte[] entry = versions.entryAt(row.at());
      if (entry != null || !inner) {
        joined.add(RowFactory.create(row.row(), entry));
      }
    }
    return joined;
  }

  /**
   * Keeps the versions that rows to come may find, which are those of this time and later ones.
   *
   * @return the timer at which all but the last are too old, whether another entry of the key comes or none.
   */
  private long prunedVersions(long oldest, long fired) {
    versions.prune(oldest);
    versions.store();
    if (!versions.hasSeveral()) {
      return versionTimer == fired ? NO_TIMER : versionTimer;
    }
    if (versionTimer != NO_TIMER && versionTimer != fired) {
      return versionTimer; // when it fires, it is moved: a timer for each entry would cost more than it saves
    }
    long wanted = milliseconds(versions.lastAt() + retention + slack);
    getHandle().registerTimer(wanted);
    return wanted;
  }

  private void readHeld(List<TimedRow> rows) {
    byte[] state = heldState.get();
    rowTimer = NO_TIMER;
    versionTimer = NO_TIMER;
    if (state != null) {
      ByteBuffer from = ByteBuffer.wrap(state);
      rowTimer = from.getLong();
      versionTimer = from.getLong();
      TimedRow.read(from, rows);
    }
  }

  private void keepRows(List<TimedRow> rows, long versionTimer, long fired) {
    // Rows that are left are due later than the watermark. A timer at the watermark itself was seen to be lost, so it is registered for the
    // millisecond in which the first row is due, never before.
    long wanted = rows.isEmpty() ? NO_TIMER : milliseconds(rows.get(0).at() + slack);
    // Two timers of a key that are due at once are one, which must not be deleted for the other.
    boolean isShared = rowTimer == versionTimer && rowTimer != wanted;
    moveTimer(isShared ? NO_TIMER : rowTimer, fired, wanted);
    if (rows.isEmpty() && versionTimer == NO_TIMER) {
      heldState.clear();
      return;
    }
    ByteBuffer into = ByteBuffer.allocate(2 * Long.BYTES + TimedRow.size(rows));
    into.putLong(wanted).putLong(versionTimer);
    TimedRow.write(rows, into);
    heldState.update(into.array());
  }
}
