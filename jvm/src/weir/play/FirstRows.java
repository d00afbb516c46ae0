package weir.play;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Objects;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.aggregate.ImperativeAggregate;
import org.apache.spark.sql.catalyst.expressions.aggregate.TypedImperativeAggregate;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.types.UTF8String;
import scala.collection.immutable.IndexedSeq;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The first texts of a column, each a JSON value, in the order in which they came, as one JSON array: an aggregate for observed
 * metrics, which bounds what a play keeps of a step by rows and bytes, however many rows the step gives. Nulls do not count.
 */
public final class FirstRows extends TypedImperativeAggregate<FirstRows.Kept> implements Serializable {
  private static final long serialVersionUID = 1L;
  private final Expression text;
  private final int rows;
  private final int bytes;
  private final int mutableOffset;
  private final int inputOffset;

  public FirstRows(Expression text, int rows, int bytes) {
    this(text, rows, bytes, 0, 0);
  }

  private FirstRows(Expression text, int rows, int bytes, int mutableOffset, int inputOffset) {
    this.text = text;
    this.rows = rows;
    this.bytes = bytes;
    this.mutableOffset = mutableOffset;
    this.inputOffset = inputOffset;
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
      Object value = text.eval(row);
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
  public byte[] serialize(Kept kept) {
    ByteArrayOutputStream made = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(made)) {
      out.writeInt(kept.rows);
      out.writeBoolean(kept.full);
      kept.texts.writeTo(out);
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
    return made.toByteArray();
  }

  @Override
  public Kept deserialize(byte[] stored) {
    Kept kept = new Kept();
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(stored))) {
      kept.rows = in.readInt();
      kept.full = in.readBoolean();
      kept.texts.writeBytes(in.readAllBytes());
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
    return kept;
  }

  @Override
  public DataType dataType() {
    return DataTypes.StringType;
  }

  @Override
  public boolean nullable() {
    return false;
  }

  @Override
  public Seq<Expression> children() {
    return CollectionConverters.asScala(List.of(text)).toSeq();
  }

  @Override
  public Expression withNewChildrenInternal(IndexedSeq<Expression> others) {
    return new FirstRows(others.apply(0), rows, bytes, mutableOffset, inputOffset);
  }

  @Override
  public int mutableAggBufferOffset() {
    return mutableOffset;
  }

  @Override
  public int inputAggBufferOffset() {
    return inputOffset;
  }

  @Override
  public ImperativeAggregate withNewMutableAggBufferOffset(int offset) {
    return new FirstRows(text, rows, bytes, offset, inputOffset);
  }

  @Override
  public ImperativeAggregate withNewInputAggBufferOffset(int offset) {
    return new FirstRows(text, rows, bytes, mutableOffset, offset);
  }

  @Override
  public String prettyName() {
    return "weir_first_rows";
  }

  @Override
  public int productArity() {
    return 5;
  }

  @Override
  public Object productElement(int at) {
    return List.of(text, rows, bytes, mutableOffset, inputOffset).get(at);
  }

  @Override
  public boolean canEqual(Object other) {
    return other instanceof FirstRows;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof FirstRows that
        && text.equals(that.text)
        && rows == that.rows
        && bytes == that.bytes
        && mutableOffset == that.mutableOffset
        && inputOffset == that.inputOffset;
  }

  @Override
  public int hashCode() {
    return Objects.hash(text, rows, bytes, mutableOffset, inputOffset);
  }
}
