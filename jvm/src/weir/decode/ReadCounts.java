package weir.decode;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.codegen.ExprCode;
import org.apache.spark.unsafe.types.UTF8String;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import weir.observed.Inlined;
import weir.observed.TextAggregate;

/**
 * {@code weir_read_counts(reason, partition, offset, heartbeat, time, delay)}: how many records there are, how many of them are rows, and malformed by
 * reason, which malformed one has the greatest offset, and the greatest time of the others less the delay, as JSON:
 * {@code {"records":3,"rows":1,"malformed":{"NOT_JSON":1},"example":{"reason":"NOT_JSON","partition":0,"offset":41},"watermark_us":-10000000}}.
 * Without {@code example} where none is malformed, and without {@code watermark_us} where all are, or the delay is null.
 *
 * <p>One aggregate, because a counter for each reason costs more for every well-formed record than its decoding.
 */
public final class ReadCounts extends TextAggregate<ReadCounts.Counts> implements Inlined {
  private static final long serialVersionUID = 1L;

  ReadCounts(Seq<Expression> parts) {
    this(CollectionConverters.asJava(parts), 0, 0);
  }

  // Reason, null of a record that is well-formed; INT, LONG, BOOLEAN, TIMESTAMP; the delay, a literal, LONG.
  private ReadCounts(List<Expression> parts, int bufferOffset, int inputOffset) {
    super(parts, bufferOffset, inputOffset);
    if (parts.size() != 6 || !parts.get(5).foldable()) {
      throw new IllegalArgumentException("weir_read_counts takes six arguments, of which the last is a literal.");
    }
  }

  /** What was counted so far. Public for generated code. */
  public static final class Counts {
    private long records;
    private long rows;
    private long newest = Long.MIN_VALUE; // time, µs; this: none was well-formed
    private final Map<String, Long> malformed = new TreeMap<>();
    private String reason; // of the example; null: there is none
    private int partition;
    private long offset;

    /** One more record. With a reason its place counts, else whether it is a heartbeat, and its time. */
    public void take(UTF8String found, int at, long next, boolean isHeartbeat, long time) {
      records++;
      if (found == null) {
        rows += isHeartbeat ? 0 : 1;
        newest = Math.max(newest, time);
      } else if (!found.equals(Reason.SKIPPED)) {
        String code = found.toString();
        malformed.merge(code, 1L, Long::sum);
        example(code, at, next);
      }
    }

    private void example(String of, int at, long next) {
      if (reason == null || next > offset || (next == offset && at > partition)) {
        reason = of;
        partition = at;
        offset = next;
      }
    }
  }

  @Override
  public Counts createAggregationBuffer() {
    return new Counts();
  }

  @Override
  public Counts update(Counts counts, InternalRow record) {
    UTF8String found = (UTF8String) part(0).eval(record);
    if (found == null) {
      counts.take(null, 0, 0L, (Boolean) part(3).eval(record), (Long) part(4).eval(record));
    } else {
      counts.take(found, (Integer) part(1).eval(record), (Long) part(2).eval(record), false, 0L);
    }
    return counts;
  }

  @Override
  public Class<?> kept() {
    return Counts.class;
  }

  @Override
  public String taking(String kept, List<ExprCode> parts) {
    ExprCode found = parts.get(0);
    ExprCode time = parts.get(4);
    return "%s.take(%s ? null : %s, %s, %s, %s, %s ? 0L : %s);"
        .formatted(
            kept, found.isNull(), found.value(), parts.get(1).value(), parts.get(2).value(), parts.get(3).value(), time.isNull(), time.value());
  }

  @Override
  public Counts merge(Counts counts, Counts others) {
    counts.records += others.records;
    counts.rows += others.rows;
    counts.newest = Math.max(counts.newest, others.newest);
    others.malformed.forEach((reason, more) -> counts.malformed.merge(reason, more, Long::sum));
    if (others.reason != null) {
      counts.example(others.reason, others.partition, others.offset);
    }
    return counts;
  }

  @Override
  public Object eval(Counts counts) {
    StringBuilder out = new StringBuilder("{\"records\":").append(counts.records).append(",\"rows\":").append(counts.rows).append(",\"malformed\":{");
    String comma = "";
    for (Map.Entry<String, Long> one : counts.malformed.entrySet()) { // reasons are codes, which need no escapes
      out.append(comma).append('"').append(one.getKey()).append("\":").append(one.getValue());
      comma = ",";
    }
    out.append('}');
    if (counts.reason != null) {
      out.append(",\"example\":{\"reason\":\"").append(counts.reason).append("\",\"partition\":").append(counts.partition);
      out.append(",\"offset\":").append(counts.offset).append('}');
    }
    Object delay = part(5).eval(null);
    if (delay != null && counts.newest != Long.MIN_VALUE) {
      out.append(",\"watermark_us\":").append(counts.newest - (Long) delay);
    }
    return UTF8String.fromString(out.append('}').toString());
  }

  @Override
  protected void write(Counts counts, DataOutputStream out) throws IOException {
    out.writeLong(counts.records);
    out.writeLong(counts.rows);
    out.writeLong(counts.newest);
    out.writeInt(counts.malformed.size());
    for (Map.Entry<String, Long> one : counts.malformed.entrySet()) {
      out.writeUTF(one.getKey());
      out.writeLong(one.getValue());
    }
    out.writeBoolean(counts.reason != null);
    if (counts.reason != null) {
      out.writeUTF(counts.reason);
      out.writeInt(counts.partition);
      out.writeLong(counts.offset);
    }
  }

  @Override
  protected Counts read(DataInputStream in) throws IOException {
    Counts counts = new Counts();
    counts.records = in.readLong();
    counts.rows = in.readLong();
    counts.newest = in.readLong();
    for (int left = in.readInt(); left > 0; left--) {
      counts.malformed.put(in.readUTF(), in.readLong());
    }
    if (in.readBoolean()) {
      counts.example(in.readUTF(), in.readInt(), in.readLong());
    }
    return counts;
  }

  @Override
  protected TextAggregate<Counts> with(List<Expression> parts, int bufferOffset, int inputOffset) {
    return new ReadCounts(parts, bufferOffset, inputOffset);
  }

  @Override
  protected List<Object> settings() {
    return List.of();
  }

  @Override
  public String prettyName() {
    return "weir_read_counts";
  }
}
