package weir.batches;

import java.io.IOException;
import java.util.List;
import weir.build.Rewriting;
import weir.build.Rewriting.Call;

/**
 * Writes Spark's {@code KafkaMicroBatchStream} anew when the classes are built: it asks {@link BatchSizes} how many records a batch may take,
 * where Spark's own takes one number for the whole query.
 */
public final class SizedBatches {
  private static final String STREAM = "org/apache/spark/sql/kafka010/KafkaMicroBatchStream";
  private static final String LIMIT = "org/apache/spark/sql/connector/read/streaming/ReadMaxRows";

  private SizedBatches() {}

  /** The folder of the classes is the only argument. */
  public static void main(String[] arguments) throws IOException {
    Rewriting.replaceCalls(STREAM, arguments[0], List.of(new Call(LIMIT, "maxRows", "()J", "weir/batches/BatchSizes")));
  }
}
