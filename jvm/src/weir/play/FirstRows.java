package weir.play;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.unsafe.types.UTF8String;
import weir.observed.TextAggregate;

/**
 * The first texts of a column, each a JSON value, in the order in which they came, as one JSON array: an aggregate for observed
 * metrics, which bounds what a play keeps of a step by rows and bytes, however many rows the step gives. Nulls do not count.
 */
public final class FirstRows extends TextAggregate<FirstRows.Kept> {
  private static final long serialVersionUID = 1L;
  private final int rows;
  private final int bytes;

  public FirstRows(Expression text, int rows, int bytes) {
    this(List.of(text), rows, bytes, 0, 0);
  }

  private FirstRows(List<Expression> parts, int rows, int bytes, int bufferOffset, int inputOffset) {
    super(parts, bufferOffset, inputOffset);
    this.rows = rows;
    this.bytes = bytes;
  }

  /** What was kept so far: an array without its brackets. */
  static final class Kept {
    final ByteArrayOutputStream texts = new ByteArrayOutputStream();
    int rows = 0;
    boolean full = false;

    /** Once one row has no room, later ones are not kept either: what is shown is a beginning, without gaps. */
    void add(byte[] more, int count, int maxRows, int maxBytes) {
      if (count == 0 || full) {
        return;
      }
      if (rows + count > maxRows || texts.size() + more.length > maxBytes) {
        full = true;
        return;
      }
      if (rows > 0) {
        texts.write(',');
      }
      texts.writeBytes(more);
      rows += count;
    }
  }

  @Override
  public Kept createAggregationBuffer() {
    return new Kept();
  }

  @Override
  public Kept update(Kept kept, InternalRow row) {
    if (!kept.full) {
      Object value = part(0).eval(row);
      if (value != null) {
        kept.add(((UTF8String) value).getBytes(), 1, rows, bytes);
      }
    }
    return kept;
  }

  @Override
  public Kept merge(Kept kept, Kept later) {
    // Partitions are kept as a whole or not at all; a play has one, so nothing is lost by that.
    kept.add(later.texts.toByteArray(), later.rows, rows, bytes);
    kept.full |= later.full;
    return kept;
  }

  @Override
  public Object eval(Kept kept) {
    return UTF8String.concat(
        UTF8String.fromString("["), UTF8String.fromBytes(kept.texts.toByteArray()), UTF8String.fromString("]"));
  }

  @Override
  protected void write(Kept kept, DataOutputStream out) throws IOException {
    out.writeInt(kept.rows);
    out.writeBoolean(kept.full);
    kept.texts.writeTo(out);
  }

  @Override
  protected Kept read(DataInputStream in) throws IOException {
    Kept kept = new Kept();
    kept.rows = in.readInt();
    kept.full = in.readBoolean();
    kept.texts.writeBytes(in.readAllBytes());
    return kept;
  }

  @Override
  protected TextAggregate<Kept> with(List<Expression> parts, int bufferOffset, int inputOffset) {
    return new FirstRows(parts, rows, bytes, bufferOffset, inputOffset);
  }

  @Override
  protected List<Object> settings() {
    return List.of(rows, bytes);
  }

  @Override
  public String prettyName() {
    return "weir_first_rows";
  }
}
