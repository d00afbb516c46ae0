package weir.state;

import static org.apache.spark.sql.functions.col;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.streaming.ExpiredTimerInfo;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.streaming.StatefulProcessor;
import org.apache.spark.sql.streaming.StatefulProcessorHandle;
import org.apache.spark.sql.streaming.TTLConfig;
import org.apache.spark.sql.streaming.TimeMode;
import org.apache.spark.sql.streaming.TimerValues;
import org.apache.spark.sql.streaming.ValueState;
import org.apache.spark.sql.types.StructType;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The base of the operators that keep state in the JVM: what one key's rows and timers do.
 *
 * <p>Whole rows are opaque bytes ({@link weir.rows.RowFunctions}); what an operator needs to know of them (times, positions) are columns of
 * their own. Spark counts rows that come too late, and drops them before they are here; SQL around the operator counts what fails in an expression.
 */
public abstract class KeyedProcessor extends StatefulProcessor<byte[], Row, Row> {
  /** Where a timer that fired is asked for: none did. */
  protected static final long NO_TIMER = -1;

  private final StructType output;
  private transient boolean timed;

  /** Columns that the operator gives, as DDL. */
  protected KeyedProcessor(String output) {
    this.output = StructType.fromDDL(output);
  }

  /** Opens the state. */
  protected abstract void open();

  /**
   * Something happened to a key: rows came in a batch, or its timer fired. In real-time mode each row comes alone.
   *
   * @param arrived its rows, with the columns that they have in SQL, the key first; none when a timer fired.
   * @param watermarkMs the watermark that closes things in this batch; 0 before the first.
   * @param fired when the timer that fired was due, in ms; {@link #NO_TIMER} when rows came.
   * @return rows in the order of the operator's columns. They may be computed as they are asked for, from what is no longer state.
   */
  protected abstract Iterator<Row> advance(Iterator<Row> arrived, long watermarkMs, long fired);

  /**
   * The rows that the operator makes of these.
   *
   * @param rows whose first column, {@code _key}, is a binary; then those that the operator reads, in order, and any others.
   * @param byTime timers follow the watermark of the column that is marked as watermarked.
   */
  public final Dataset<Row> over(Dataset<Row> rows, boolean byTime, boolean updates) {
    return rows.groupBy(col("_key"))
        .as(Encoders.BINARY(), Encoders.row(rows.schema()))
        .transformWithState(
            this, byTime ? TimeMode.EventTime() : TimeMode.None(), updates ? OutputMode.Update() : OutputMode.Append(), Encoders.row(output));
  }

  @Override
  public final void init(OutputMode mode, TimeMode time) {
    timed = time.equals(TimeMode.EventTime());
    open();
  }

  @Override
  public final scala.collection.Iterator<Row> handleInputRows(byte[] key, scala.collection.Iterator<Row> rows, TimerValues times) {
    return CollectionConverters.asScala(advance(CollectionConverters.asJava(rows), watermark(times), NO_TIMER));
  }

  @Override
  public final scala.collection.Iterator<Row> handleExpiredTimer(byte[] key, TimerValues times, ExpiredTimerInfo timer) {
    return CollectionConverters.asScala(advance(Collections.emptyIterator(), watermark(times), timer.getExpiryTimeInMs()));
  }

  /** A value of the key that is kept as bytes. */
  protected final ValueState<byte[]> bytes(String name) {
    return getHandle().getValueState(name, Encoders.BINARY(), TTLConfig.NONE());
  }

  /**
   * Has exactly one timer stand.
   *
   * @param standing the one that stands, or stood until it fired; {@link #NO_TIMER}: none.
   * @param fired the one that fired, which is gone already.
   * @param wanted when it is due, in ms; {@link #NO_TIMER}: never.
   */
  protected final void moveTimer(long standing, long fired, long wanted) {
    StatefulProcessorHandle handle = getHandle();
    boolean stands = standing != NO_TIMER && standing != fired;
    if (stands && standing != wanted) {
      handle.deleteTimer(standing);
    }
    if (wanted != NO_TIMER && !(stands && standing == wanted)) {
      handle.registerTimer(wanted);
    }
  }

  /** The first millisecond at or after an instant in µs: a timer there fires once the watermark has passed the instant. */
  protected static long milliseconds(long us) {
    return -Math.floorDiv(-us, 1_000L);
  }

  /** All rows of a key in a batch. */
  protected static List<Row> all(Iterator<Row> rows) {
    List<Row> found = new ArrayList<>();
    rows.forEachRemaining(found::add);
    return found;
  }

  private long watermark(TimerValues times) {
    return timed ? Math.max(times.getCurrentWatermarkInMs(), 0) : 0;
  }
}
