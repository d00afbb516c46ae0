package weir.state;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.streaming.ValueState;

/**
 * table_join of version current ({@code docs/semantics/table-join.md}): rows look up the table as it is. Of a batch first all entries are
 * applied, by partition and offset, then rows look up.
 *
 * <p>State: the newest entry of the key, and its time. By event time a deletion is kept too, as an older entry must not undo it.
 */
public final class CurrentJoin extends KeyedProcessor {
  private final boolean inner;
  private final boolean byEventTime;
  private transient ValueState<byte[]> state;

  /** An inner join drops rows without an entry. By event time the newest entry is the one of the greatest time, not the last one. */
  public CurrentJoin(boolean inner, boolean byEventTime) {
    super(TableRows.OUTPUT);
    this.inner = inner;
    this.byEventTime = byEventTime;
  }

  @Override
  protected void open() {
    state = bytes("entry");
  }

  @Override
  protected Iterator<Row> advance(Iterator<Row> arrived, long watermarkMs, long fired) {
    List<Row> entries = new ArrayList<>();
    List<Row> rows = new ArrayList<>();
    arrived.forEachRemaining(row -> (TableRows.isEntry(row) ? entries : rows).add(row));
    Version newest = Version.read(state.get());
    if (!entries.isEmpty()) {
      Version before = newest;
      newest = applied(newest, entries);
      if (newest != before) {
        keep(newest);
      }
    }
    byte[] entry = newest == null ? null : newest.entry();
    if (entry == null && inner) {
      return Collections.emptyIterator();
    }
    return rows.stream().map(row -> RowFactory.create(TableRows.whole(row), entry)).iterator();
  }

  private Version applied(Version newest, List<Row> entries) {
    if (entries.size() > 1) {
      entries.sort(Comparator.comparingInt(TableRows::partition).thenComparingLong(TableRows::offset));
    }
    for (Row row : entries) {
      if (!byEventTime || newest == null || TableRows.at(row) >= newest.at()) {
        newest = TableRows.version(row);
      }
    }
    return newest;
  }

  private void keep(Version newest) {
    if (newest.entry() == null && !byEventTime) {
      state.clear();
    } else {
      state.update(newest.write());
    }
  }
}
