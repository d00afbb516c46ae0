package weir.rows;

import java.io.Serializable;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.types.StructType;

/**
 * Structs of one schema as JSON in UTF-8: as objects, byte for byte what Spark's {@code to_json} writes with nulls and Weir's forms of time; or as arrays of
 * their values, which is how identities are written ({@code jobs/operators/identity_sql.py}).
 *
 * <p>A task has its own: plans are copied for each.
 */
public final class RowJson implements Serializable {
  private final StructType schema;
  private final boolean isArray;
  private transient JsonValue value;
  private transient JsonBytes out;
  private transient Object[] one;
  private transient GenericInternalRow root;

  private RowJson(StructType schema, boolean isArray) {
    this.schema = schema;
    this.isArray = isArray;
    begin();
  }

  /**
   * Of structs that become objects with all members.
   *
   * @throws IllegalArgumentException there is a type that is written otherwise.
   */
  static RowJson objects(StructType schema) {
    return new RowJson(schema, false);
  }

  /** Of structs that become arrays of their members' values, and those inside them, too. */
  static RowJson arrays(StructType schema) {
    return new RowJson(schema, true);
  }

  private void begin() {
    value = isArray ? JsonValue.arrayOf(schema) : JsonValue.of(schema);
    out = new JsonBytes();
    one = new Object[1];
    root = new GenericInternalRow(one);
  }

  /** The text of a struct. */
  public byte[] write(InternalRow struct) {
    if (value == null) {
      begin();
    }
    out.clear();
    one[0] = struct;
    value.write(root, 0, out);
    one[0] = null;
    return out.copy();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof RowJson json && isArray == json.isArray && schema.equals(json.schema);
  }

  @Override
  public int hashCode() {
    return schema.hashCode();
  }

  @Override
  public String toString() {
    return schema.catalogString();
  }
}
