package weir.rows;

import java.io.Serializable;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.expressions.XXH64;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.Platform;

/**
 * Structs of one schema as bytes: eight that tell names and types of the fields, then Spark's own row. A state that was written with other
 * fields is so refused, and never read as something else.
 *
 * <p>A task has its own: plans are copied for each.
 */
public final class RowFormat implements Serializable {
  private static final long SEED = 42;
  private static final int HEAD = Long.BYTES; // as long as a word, since Spark reads rows in words

  private final String names;
  private final StructType schema;
  private final long head;
  private transient UnsafeProjection writer;

  /** Of a schema, whatever may be null in it. */
  public RowFormat(StructType schema) {
    this.schema = schema;
    this.names = schema.catalogString();
    this.head = digest(names);
  }

  /** The bytes of a struct. Equal structs give equal bytes, but for doubles that are equal and differ in their bits. */
  public byte[] pack(InternalRow struct) {
    if (writer == null) {
      writer = UnsafeProjection.create(schema);
    }
    UnsafeRow row = writer.apply(struct);
    byte[] bytes = new byte[HEAD + row.getSizeInBytes()];
    Platform.putLong(bytes, Platform.BYTE_ARRAY_OFFSET, head);
    row.writeToMemory(bytes, Platform.BYTE_ARRAY_OFFSET + HEAD);
    return bytes;
  }

  /**
   * The bytes of a struct by which rows meet: a hash before the row, because Spark sorts by the first eight bytes, and compares all of them only
   * where these are equal.
   */
  public byte[] key(InternalRow struct) {
    byte[] bytes = pack(struct);
    long hash = XXH64.hashUnsafeBytes(bytes, Platform.BYTE_ARRAY_OFFSET + HEAD, bytes.length - HEAD, SEED);
    Platform.putLong(bytes, Platform.BYTE_ARRAY_OFFSET, hash);
    return bytes;
  }

  /**
   * The struct over these bytes, which are not copied.
   *
   * @throws IllegalStateException they are of another schema.
   */
  public UnsafeRow unpack(byte[] bytes) {
    if (bytes.length < HEAD || Platform.getLong(bytes, Platform.BYTE_ARRAY_OFFSET) != head) {
      throw new IllegalStateException(
          "The state holds rows of other fields than " + names + ". Start a new generation of the job, and report this: it should have been asked for.");
    }
    UnsafeRow struct = new UnsafeRow(schema.length());
    struct.pointTo(bytes, Platform.BYTE_ARRAY_OFFSET + HEAD, bytes.length - HEAD);
    return struct;
  }

  private static long digest(String names) {
    try {
      return ByteBuffer.wrap(MessageDigest.getInstance("SHA-256").digest(names.getBytes(StandardCharsets.UTF_8))).getLong();
    } catch (NoSuchAlgorithmException error) {
      throw new IllegalStateException(error);
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof RowFormat format && schema.equals(format.schema);
  }

  @Override
  public int hashCode() {
    return schema.hashCode();
  }

  @Override
  public String toString() {
    return names;
  }
}
