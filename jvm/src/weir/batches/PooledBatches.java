package weir.batches;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.SQLExecution;
import org.apache.spark.sql.execution.streaming.sources.PythonForeachBatchFunction;
import org.apache.spark.sql.execution.streaming.sources.PythonForeachBatchHelper;
import org.apache.spark.sql.streaming.DataStreamWriter;

/**
 * Calls a query's Python function for each batch from a thread that outlives the query.
 *
 * <p>Spark calls it from the query's own thread. Py4J gives each thread that ever called Python a connection, and a thread in Python, and
 * keeps both until the process ends: an engine would lose a little with each start of a validator.
 */
public final class PooledBatches implements PythonForeachBatchFunction {
  // As many as batches that were ever in work at one time. None ends, or its connection would be lost with it.
  private static final ExecutorService THREADS =
      new ThreadPoolExecutor(0, Integer.MAX_VALUE, Long.MAX_VALUE, TimeUnit.NANOSECONDS, new SynchronousQueue<>(), PooledBatches::thread);

  private final PythonForeachBatchFunction function;

  private PooledBatches(PythonForeachBatchFunction function) {
    this.function = function;
  }

  /** Have a writer's query call a Python function with each batch and its number. */
  public static void callForeachBatch(DataStreamWriter<Row> writer, PythonForeachBatchFunction function) {
    PythonForeachBatchHelper.callForeachBatch(writer, new PooledBatches(function));
  }

  /** Returns, or throws what the function threw, once it has ended: also when the query is stopped meanwhile. */
  @Override
  public void call(Dataset<Row> batch, long number) {
    Work work = new Work(() -> function.call(batch, number));
    CompletableFuture<Object> done =
        SQLExecution.withThreadLocalCaptured((SparkSession) batch.sparkSession(), THREADS, work::run);
    boolean interrupted = false;
    try {
      while (true) {
        try {
          done.get();
          return;
        } catch (InterruptedException stopped) {
          interrupted = true;
          work.interrupt();
        } catch (ExecutionException failed) {
          throw PooledBatches.<RuntimeException>unchecked(failed.getCause());
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static Thread thread(Runnable calls) {
    Thread made = new Thread(calls, "weir-batches");
    made.setDaemon(true);
    return made;
  }

  /** Throws what Spark would have seen, checked or not: the interface declares nothing, as Scala's do. */
  @SuppressWarnings("unchecked")
  private static <T extends Throwable> RuntimeException unchecked(Throwable thrown) throws T {
    throw (T) thrown;
  }

  /** A call which can be interrupted while it runs, and which leaves no interrupt to the thread's next one. */
  private static final class Work {
    private final Runnable call;
    private Thread runner;

    Work(Runnable call) {
      this.call = call;
    }

    Object run() {
      synchronized (this) {
        runner = Thread.currentThread();
      }
      try {
        call.run();
        return null;
      } finally {
        synchronized (this) {
          runner = null;
          Thread.interrupted();
        }
      }
    }

    synchronized void interrupt() {
      if (runner != null) {
        runner.interrupt();
      }
    }
  }
}
