package weir.checkpoints;

import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.util.AccumulatorV2;

/** The latest start and end of the windows that tasks have seen, in µs. A task that runs twice changes nothing. */
final class LatestWindow extends AccumulatorV2<long[], long[]> {
  private long start = Long.MIN_VALUE;
  private long end = Long.MIN_VALUE;

  Map<String, Long> asMap() {
    return isZero() ? Map.of() : new TreeMap<>(Map.of("start", start, "end", end));
  }

  @Override
  public boolean isZero() {
    return start == Long.MIN_VALUE;
  }

  @Override
  public AccumulatorV2<long[], long[]> copy() {
    LatestWindow made = new LatestWindow();
    made.add(value());
    return made;
  }

  @Override
  public void reset() {
    start = Long.MIN_VALUE;
    end = Long.MIN_VALUE;
  }

  @Override
  public void add(long[] window) {
    start = Math.max(start, window[0]);
    end = Math.max(end, window[1]);
  }

  @Override
  public void merge(AccumulatorV2<long[], long[]> other) {
    add(other.value());
  }

  @Override
  public long[] value() {
    return new long[] {start, end};
  }
}
