package weir.play;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.StreamingQueryProgress;

/** What Spark says of a query's last batch, for Python. */
public final class BatchProgress {
  private BatchProgress() {}

  /**
   * Writes it as JSON into a file, since it holds the rows that a play keeps. As an answer of Py4J, which writes more than 8 KB in pieces and lets
   * the last one wait until the others are acknowledged, it would take 40 ms more.
   *
   * @return false before the first batch
   */
  public static boolean write(StreamingQuery query, String file) throws IOException {
    StreamingQueryProgress progress = query.lastProgress();
    if (progress == null) {
      return false;
    }
    Files.writeString(Path.of(file), progress.json());
    return true;
  }
}
