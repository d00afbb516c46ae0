package weir.batches;

import java.util.IdentityHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.spark.sql.connector.read.streaming.ReadMaxRows;
import org.apache.spark.sql.internal.SQLConf;

/**
 * How many records the batches of a query take that drains a backlog: few at first, more while they are soon done, half as many when they take
 * long. So there are results every second or two, whatever a record costs, and also while the JVM has not compiled the query's code yet. {@link
 * SizedBatches} has Spark's Kafka source ask here for each batch.
 */
public final class BatchSizes {
  /** A setting of the session: how many records the first batch takes. Without it each takes what its source says. */
  public static final String FIRST = "weir.batches.first";

  /** A batch that took less had little but its beginning and its commit: the next one takes four times as many. */
  public static final long AT_ONCE_MS = 500;

  /** A batch that took less is soon done: the next one takes twice as many. */
  public static final long SOON_MS = 1_000;

  /** A batch that took more takes long: the next one takes half as many. */
  public static final long LONG_MS = 3_000;

  /** Each query constructs its batches in a thread of its own, which ends with it; each of its sources has a limit. */
  private static final ThreadLocal<Map<ReadMaxRows, BatchSizes>> OF_QUERY = ThreadLocal.withInitial(IdentityHashMap::new);

  private final long least;
  private final long most;
  private long size;
  private long beganNs;

  private BatchSizes(long first, long most) {
    this.most = most;
    size = Math.min(first, most);
    least = size;
    beganNs = System.nanoTime();
  }

  /** The number of records that the next batch of a query takes of a source; Spark asks in the query's own thread, once for each batch. */
  public static long maxRows(ReadMaxRows limit) {
    String first = SQLConf.get().getConfString(FIRST, "");
    if (first.isEmpty()) {
      return limit.maxRows();
    }
    BatchSizes sizes = OF_QUERY.get().get(limit);
    if (sizes == null) {
      sizes = new BatchSizes(Long.parseLong(first), limit.maxRows());
      OF_QUERY.get().put(limit, sizes);
    } else {
      sizes.next();
    }
    return sizes.size;
  }

  private void next() {
    long now = System.nanoTime();
    size = next(size, TimeUnit.NANOSECONDS.toMillis(now - beganNs), least, most);
    beganNs = now;
  }

  /**
   * The size of the next batch.
   *
   * @param size of the last one, in records.
   * @param tookMs from its construction to that of the next one.
   * @param least records.
   * @param most records.
   */
  public static long next(long size, long tookMs, long least, long most) {
    if (tookMs < SOON_MS) {
      return Math.min((tookMs < AT_ONCE_MS ? 4 : 2) * size, most);
    }
    return tookMs > LONG_MS ? Math.max(size / 2, least) : size;
  }
}
