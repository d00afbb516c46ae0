package weir.state;

import static org.apache.spark.sql.functions.col;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.KeyValueGroupedDataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.streaming.ExpiredTimerInfo;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.streaming.StatefulProcessorWithInitialState;
import org.apache.spark.sql.streaming.TTLConfig;
import org.apache.spark.sql.streaming.TimeMode;
import org.apache.spark.sql.streaming.TimerValues;
import org.apache.spark.sql.streaming.ValueState;
import org.apache.spark.sql.types.StructType;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The late output of a step ({@code docs/semantics/late-rows.md}): lets the rows pass that the closing watermark of the batch before has
 * overtaken, which are those that the step refuses in this batch. The key is a share of the step's rows.
 *
 * <p>State: the closing watermark (ms) of the last batch in which it moved. A timer fires in the first batch whose watermark moved, rows or
 * none, so what is stored is always that of the batch before.
 */
public final class LateRows extends StatefulProcessorWithInitialState<Integer, Row, Row, Row> {
  // Columns of its rows: _share, _closes_at bigint, _row binary.
  private static final int CLOSES_AT = 1;
  private static final int ROW = 2;
  private static final StructType OUTPUT = StructType.fromDDL("_row binary, _late_watermark bigint");

  private transient ValueState<Long> state;

  /**
   * The late rows among these.
   *
   * @param rows with the column {@code _share}; none of them is late for Spark.
   * @param shares every share, so that each knows of the watermark from the first batch on.
   */
  public Dataset<Row> over(Dataset<Row> rows, Dataset<Row> shares) {
    return grouped(rows)
        .transformWithState(this, TimeMode.EventTime(), OutputMode.Append(), grouped(shares), Encoders.row(OUTPUT), Encoders.row(shares.schema()));
  }

  private static KeyValueGroupedDataset<Integer, Row> grouped(Dataset<Row> rows) {
    return rows.groupBy(col("_share")).as(Encoders.INT(), Encoders.row(rows.schema()));
  }

  @Override
  public void init(OutputMode mode, TimeMode time) {
    state = getHandle().getValueState("watermark", Encoders.LONG(), TTLConfig.NONE());
  }

  @Override
  public void handleInitialState(Integer share, Row known, TimerValues times) {
    remember(times.getCurrentWatermarkInMs());
  }

  @Override
  public scala.collection.Iterator<Row> handleInputRows(Integer share, scala.collection.Iterator<Row> rows, TimerValues times) {
    long limit = state.exists() ? state.get() * 1_000 : 0;
    List<Row> late = new ArrayList<>();
    while (rows.hasNext()) {
      Row row = rows.next();
      if (row.getLong(CLOSES_AT) <= limit) {
        late.add(RowFactory.create(row.getAs(ROW), limit));
      }
    }
    remember(times.getCurrentWatermarkInMs());
    return CollectionConverters.asScala(late.iterator());
  }

  /** The watermark moved; or it has only been reached, then the next timer waits for the next millisecond. */
  @Override
  public scala.collection.Iterator<Row> handleExpiredTimer(Integer share, TimerValues times, ExpiredTimerInfo timer) {
    long watermark = Math.max(times.getCurrentWatermarkInMs(), 0);
    if (timer.getExpiryTimeInMs() >= watermark) {
      getHandle().registerTimer(watermark + 1);
    }
    remember(watermark);
    return CollectionConverters.asScala(Collections.emptyIterator());
  }

  private void remember(long watermarkMs) {
    long watermark = Math.max(watermarkMs, 0);
    if (state.exists() && state.get() == watermark) {
      return;
    }
    state.update(watermark);
    getHandle().registerTimer(watermark);
  }
}
