package weir.state;

import org.apache.spark.sql.Row;

/**
 * What joins with tables read: entries of the table and rows of the stream in one frame, {@code _key, _entry boolean, _at bigint, _partition int,
 * _offset bigint, _whole binary}. A row of the stream has no position, and a time only where versions are looked up by it.
 */
final class TableRows {
  static final String OUTPUT = "_row binary, _entry binary";

  private TableRows() {}

  static boolean isEntry(Row row) {
    return row.getBoolean(1);
  }

  /** Event time, in µs. */
  static long at(Row row) {
    return row.getLong(2);
  }

  static int partition(Row row) {
    return row.getInt(3);
  }

  static long offset(Row row) {
    return row.getLong(4);
  }

  /** The row of the stream; of an entry the row of the table, null when it deletes its key. */
  static byte[] whole(Row row) {
    return row.getAs(5);
  }

  static Version version(Row row) {
    return new Version(at(row), partition(row), offset(row), whole(row));
  }
}
