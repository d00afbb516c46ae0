package weir.batches;

import java.io.IOException;
import java.util.List;
import weir.build.Rewriting;
import weir.build.Rewriting.Call;

/**
 * Writes Spark's {@code LowLatencyReaderWrap}, which reads a batch in real-time mode, anew when the classes are built: it asks {@link BatchEnds}
 * what time it is, and waits for records there.
 */
public final class EndedBatches {
  private static final String READER = "org/apache/spark/sql/execution/datasources/v2/LowLatencyReaderWrap";
  private static final String CLOCK = "org/apache/spark/sql/execution/datasources/v2/LowLatencyClock$";
  private static final String READ = "org/apache/spark/sql/connector/read/streaming/SupportsRealTimeRead";
  private static final String WAIT = "(Ljava/lang/Long;Ljava/lang/Long;)L" + READ + "$RecordStatus;";
  private static final String ENDS = "weir/batches/BatchEnds";

  private EndedBatches() {}

  /** The folder of the classes is the only argument. */
  public static void main(String[] arguments) throws IOException {
    List<Call> calls = List.of(new Call(CLOCK, "getTimeMillis", "()J", ENDS), new Call(READ, "nextWithTimeout", WAIT, ENDS));
    Rewriting.replaceCalls(READER, arguments[0], calls);
  }
}
