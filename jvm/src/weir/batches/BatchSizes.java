package weir.batches;

import java.util.IdentityHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.spark.sql.connector.read.streaming.ReadMaxRows;
import org.apache.spark.sql.internal.SQLConf;

/**
 * How many records the batches of a query take that drains a backlog: few at first, then as many as are read in {@link #READING_MS}, or in the
 * time that a batch takes without any, where that is longer. So there are results every second or two, whatever a record costs, also while the
 * JVM has not compiled the query's code yet, and at most half of the time goes into beginning and committing. {@link SizedBatches} has Spark's
 * Kafka source ask here for each batch.
 */
public final class BatchSizes {
  /** A setting of the session: how many records the first batch takes. Without it each takes what its source says. */
  public static final String FIRST = "weir.batches.first";

  /** How long a batch reads. */
  private static final double READING_MS = 1_500;

  /** After a batch that took less the next one takes up to four times as many records, otherwise twice. */
  private static final long SOON_MS = 1_000;

  /** Of a first batch that took more no larger one is tried. */
  private static final long FAR_TOO_LONG_MS = 15_000;

  /** Each query constructs its batches in a thread of its own, which ends with it; each of its sources has a limit. */
  private static final ThreadLocal<Map<ReadMaxRows, BatchSizes>> OF_QUERY = ThreadLocal.withInitial(IdentityHashMap::new);

  private final long least;
  private final long most;
  private long size;
  private long beganNs = System.nanoTime();

  // Of the last batch but one, and what both have told: ms of a batch, and of each record in it.
  private long sizeBefore;
  private double tookBeforeMs;
  private double fixedMs;
  private double recordMs;

  /**
   * Takes the limits in records.
   *
   * @param first of the first batch; none takes less than a fiftieth of it.
   * @param most of any batch.
   */
  public BatchSizes(long first, long most) {
    this.most = most;
    size = Math.min(first, most);
    least = Math.max(1, size / 50);
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
      return sizes.size;
    }
    long now = System.nanoTime();
    long tookMs = TimeUnit.NANOSECONDS.toMillis(now - sizes.beganNs);
    sizes.beganNs = now;
    return sizes.next(tookMs);
  }

  /**
   * The size of the next batch, in records.
   *
   * @param tookMs from the last one's construction to this one's.
   */
  public long next(long tookMs) {
    learn(Math.max(tookMs, 1));
    double wanted = recordMs == 0 ? most : Math.min(Math.max(READING_MS, fixedMs) / recordMs, most);
    if (Math.abs(wanted - size) > size / 4.0) { // times vary: a little more or less is the same
      double atMost = size * (tookMs < SOON_MS ? 4.0 : 2.0);
      size = Math.max(least, (long) Math.min(Math.max(wanted, size / 2.0), atMost));
    }
    return size;
  }

  private void learn(double tookMs) {
    if (sizeBefore == 0) { // nothing else is known
      fixedMs = tookMs > FAR_TOO_LONG_MS ? 0 : tookMs;
      recordMs = (tookMs - fixedMs) / size;
    } else if (Math.abs(size - sizeBefore) * 3 < Math.max(size, sizeBefore)) {
      recordMs = Math.max(0, recordMs + (tookMs - tookBeforeMs) / size);
    } else {
      recordMs = Math.min(Math.max(0, (tookMs - tookBeforeMs) / (size - sizeBefore)), tookMs / size);
      fixedMs = tookMs - recordMs * size;
    }
    sizeBefore = size;
    tookBeforeMs = tookMs;
  }
}
