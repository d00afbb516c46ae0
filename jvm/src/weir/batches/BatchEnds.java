package weir.batches;

import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.connector.read.streaming.SupportsRealTimeRead;
import org.apache.spark.sql.connector.read.streaming.SupportsRealTimeRead.RecordStatus;
import org.apache.spark.sql.execution.datasources.v2.LowLatencyClock$;

/**
 * Ends the batches of queries in real-time mode before their time is over, so that a query that is to stop has committed what it has read.
 * {@link EndedBatches} has Spark's reader ask here. Only of tasks in this JVM.
 */
public final class BatchEnds {
  /** The task's property that says which query it belongs to. */
  private static final String QUERY_ID = "sql.streaming.queryId";

  /** How long a reader waits for a record until it looks whether its batch is to end. */
  private static final long LOOKS_EVERY_MS = 500;

  private static final Set<String> ENDING = ConcurrentHashMap.newKeySet();
  private static volatile boolean some = false;

  private BatchEnds() {}

  /** From now on each batch of a query ends as soon as its readers notice; no record is read any more. */
  public static synchronized void ask(String queryId) {
    ENDING.add(queryId);
    some = true;
  }

  /** From now on batches of a query last as long as they are to. */
  public static synchronized void forget(String queryId) {
    ENDING.remove(queryId);
    some = !ENDING.isEmpty();
  }

  /** The present in ms, by which a reader of the running task judges whether its batch is over. */
  public static long getTimeMillis(LowLatencyClock$ clock) {
    return isOver() ? Long.MAX_VALUE : clock.getTimeMillis();
  }

  /**
   * Waits for the next record, at most until the batch is over.
   *
   * @param startMs when the wait begins.
   * @param timeoutMs how long it may take.
   */
  public static RecordStatus nextWithTimeout(SupportsRealTimeRead<?> reader, Long startMs, Long timeoutMs) throws IOException {
    long waitedMs = 0;
    while (true) {
      long waitMs = Math.min(timeoutMs - waitedMs, LOOKS_EVERY_MS);
      RecordStatus status = reader.nextWithTimeout(startMs + waitedMs, waitMs);
      waitedMs += waitMs;
      if (status.hasRecord() || waitedMs >= timeoutMs || isOver()) {
        return status;
      }
    }
  }

  private static boolean isOver() {
    return some && ENDING.contains(TaskContext.get().getLocalProperty(QUERY_ID));
  }
}
