package weir.play;

import java.nio.charset.StandardCharsets;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.StreamingQueryProgress;

/** What Spark says of a query's last batch, for Python. */
public final class BatchProgress {
  private BatchProgress() {}

  /**
   * JSON in UTF-8; null before the first batch. Of a text Py4J escapes each backslash and takes it back in Python, and rows in JSON inside
   * of JSON are full of them.
   */
  public static byte[] last(StreamingQuery query) {
    StreamingQueryProgress progress = query.lastProgress();
    return progress == null ? null : progress.json().getBytes(StandardCharsets.UTF_8);
  }
}
