package weir.state;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.streaming.ValueState;

/**
 * table_join of version as_of ({@code docs/semantics/table-join.md}): rows look up the table as it was at their time, once the watermark
 * releases them.
 *
 * <p>State: the key's versions by time, partition and offset, from the newest that is older than the retention on; held rows by time, with the
 * one timer that stands.
 */
public final class AsOfJoin extends KeyedProcessor {
  private final boolean inner;
  private final long slack;
  private final long retention;
  private transient ValueState<byte[]> versionsState;
  private transient ValueState<byte[]> heldState;

  /** An inner join drops rows without an entry. Rows are released `slack` µs after the watermark has passed them. */
  public AsOfJoin(boolean inner, long slack, long retention) {
    super(TableRows.OUTPUT);
    this.inner = inner;
    this.slack = slack;
    this.retention = retention;
  }

  @Override
  protected void open() {
    versionsState = bytes("versions");
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
    long timer = readHeld(rows);
    rows.sort(TimedRow.ORDER);
    long limit = watermarkMs * 1_000 - slack;
    int due = TimedRow.until(rows, limit);
    List<Version> versions = entries.isEmpty() && due == 0 ? List.of() : merged(entries);
    Iterator<Row> joined = joined(rows.subList(0, due), versions).iterator();
    if (!entries.isEmpty()) {
      keepVersions(versions, limit - retention);
    }
    if (due > 0 || came || fired != NO_TIMER) {
      keepRows(rows.subList(due, rows.size()), timer, fired);
    }
    return joined;
  }

  private List<Version> merged(List<Version> entries) {
    List<Version> versions = Version.readAll(versionsState.get());
    if (!entries.isEmpty()) {
      versions.addAll(entries);
      versions.sort(Version.ORDER);
    }
    return versions;
  }

  private List<Row> joined(List<TimedRow> due, List<Version> versions) {
    List<Row> joined = new ArrayList<>(due.size());
    int next = 0;
    for (TimedRow row : due) {
      while (next < versions.size() && versions.get(next).at() <= row.at()) {
        next++;
      }
      byte[] entry = next == 0 ? null : versions.get(next - 1).entry();
      if (entry != null || !inner) {
        joined.add(RowFactory.create(row.row(), entry));
      }
    }
    return joined;
  }

  /** Keeps the versions that rows to come may find, which are those of this time and later ones. */
  private void keepVersions(List<Version> versions, long oldest) {
    int first = 0;
    while (first + 1 < versions.size() && versions.get(first + 1).at() <= oldest) {
      first++;
    }
    if (versions.get(first).entry() == null && versions.get(first).at() <= oldest) {
      first++; // absent from the beginning is what no version means
    }
    if (first < versions.size()) {
      versionsState.update(Version.write(versions.subList(first, versions.size())));
    } else {
      versionsState.clear();
    }
  }

  private long readHeld(List<TimedRow> rows) {
    byte[] state = heldState.get();
    if (state == null) {
      return NO_TIMER;
    }
    ByteBuffer from = ByteBuffer.wrap(state);
    long timer = from.getLong();
    TimedRow.read(from, rows);
    return timer;
  }

  private void keepRows(List<TimedRow> rows, long timer, long fired) {
    // Rows that are left are due later than the watermark. A timer at the watermark itself was seen to be lost, so it is registered for the
    // millisecond in which the first row is due, never before.
    long wanted = rows.isEmpty() ? NO_TIMER : milliseconds(rows.get(0).at() + slack);
    moveTimer(timer, fired, wanted);
    if (rows.isEmpty()) {
      heldState.clear();
      return;
    }
    ByteBuffer into = ByteBuffer.allocate(Long.BYTES + TimedRow.size(rows));
    into.putLong(wanted);
    TimedRow.write(rows, into);
    heldState.update(into.array());
  }
}
