package weir.observed;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Objects;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.aggregate.ImperativeAggregate;
import org.apache.spark.sql.catalyst.expressions.aggregate.TypedImperativeAggregate;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import scala.collection.immutable.IndexedSeq;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * An aggregate of ours for observed metrics, whose result is a text, never null. What Spark asks of every aggregate is here; a class of its own says what
 * is kept of rows, and how that is merged and written.
 *
 * @param <T> what is kept
 */
public abstract class TextAggregate<T> extends TypedImperativeAggregate<T> implements Serializable {
  private static final long serialVersionUID = 1L;
  private final List<Expression> parts;
  private final int bufferOffset;
  private final int inputOffset;

  /** Over these expressions. The offsets are Spark's: 0 for a new one. */
  protected TextAggregate(List<Expression> parts, int bufferOffset, int inputOffset) {
    this.parts = List.copyOf(parts);
    this.bufferOffset = bufferOffset;
    this.inputOffset = inputOffset;
  }

  /** The same aggregate over other expressions and with other offsets. */
  protected abstract TextAggregate<T> with(List<Expression> parts, int bufferOffset, int inputOffset);

  /** What else makes an aggregate of this class another one. */
  protected abstract List<Object> settings();

  /** Writes what is kept, for another process to {@link #read}. */
  protected abstract void write(T kept, DataOutputStream out) throws IOException;

  /** What was written. */
  protected abstract T read(DataInputStream in) throws IOException;

  /** An expression that it is over. */
  protected final Expression part(int at) {
    return parts.get(at);
  }

  @Override
  public final byte[] serialize(T kept) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      write(kept, out);
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
    return bytes.toByteArray();
  }

  @Override
  public final T deserialize(byte[] stored) {
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(stored))) {
      return read(in);
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }

  @Override
  public final DataType dataType() {
    return DataTypes.StringType;
  }

  @Override
  public final boolean nullable() {
    return false;
  }

  @Override
  public final Seq<Expression> children() {
    return CollectionConverters.asScala(parts).toSeq();
  }

  @Override
  public final Expression withNewChildrenInternal(IndexedSeq<Expression> others) {
    return with(CollectionConverters.asJava(others), bufferOffset, inputOffset);
  }

  @Override
  public final int mutableAggBufferOffset() {
    return bufferOffset;
  }

  @Override
  public final int inputAggBufferOffset() {
    return inputOffset;
  }

  @Override
  public final ImperativeAggregate withNewMutableAggBufferOffset(int offset) {
    return with(parts, offset, inputOffset);
  }

  @Override
  public final ImperativeAggregate withNewInputAggBufferOffset(int offset) {
    return with(parts, bufferOffset, offset);
  }

  @Override
  public final int productArity() {
    return 4;
  }

  @Override
  public final Object productElement(int at) {
    return List.of(parts, settings(), bufferOffset, inputOffset).get(at);
  }

  @Override
  public final boolean canEqual(Object other) {
    return other != null && getClass() == other.getClass();
  }

  @Override
  public final boolean equals(Object other) {
    if (!canEqual(other)) {
      return false;
    }
    TextAggregate<?> same = (TextAggregate<?>) other;
    return parts.equals(same.parts)
        && settings().equals(same.settings())
        && bufferOffset == same.bufferOffset
        && inputOffset == same.inputOffset;
  }

  @Override
  public final int hashCode() {
    return Objects.hash(parts, settings(), bufferOffset, inputOffset);
  }
}
