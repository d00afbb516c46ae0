package weir.records;

import java.io.IOException;
import java.util.List;
import weir.build.Rewriting;
import weir.build.Rewriting.Call;

/**
 * Writes Spark's reader of a topic's partition anew when the classes are built: it asks {@link RecordRows} for the rows of its records. Spark's own rows,
 * which batches of a whole topic still have, get their times from {@link RecordTimes}.
 */
public final class RowsOfRecords {
  private static final String KAFKA = "org/apache/spark/sql/kafka010/";

  private RowsOfRecords() {}

  /** The folder of the classes is the only argument. */
  public static void main(String[] arguments) throws IOException {
    Call call = new Call(KAFKA + "KafkaRecordToRowConverter", "toUnsafeRowProjector", "(Z)Lscala/Function1;", "weir/records/RecordRows");
    Rewriting.replaceCalls(KAFKA + "KafkaBatchPartitionReader", arguments[0], List.of(call));
    Call time = new Call("org/apache/kafka/clients/consumer/ConsumerRecord", "timestamp", "()J", "weir/records/RecordTimes");
    Rewriting.replaceCalls(KAFKA + "KafkaRecordToRowConverter$", arguments[0], List.of(time));
  }
}
