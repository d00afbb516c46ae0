package weir.watermarks;

import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.BasePredicate;
import org.apache.spark.sql.catalyst.expressions.BindReferences;
import org.apache.spark.sql.catalyst.expressions.BoundReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GetStructField;
import org.apache.spark.sql.catalyst.expressions.LessThanOrEqual;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.package$;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import scala.collection.immutable.Seq;

/**
 * Predicates that ask whether a row's time is at most the watermark.
 *
 * <p>Spark generates and compiles code for each, with the watermark as a constant in it, so that hardly any is found in its cache: 15 ms of
 * processor time at each batch of each query with state, and a class more for the JVM to load, compile and throw away. These are compiled with
 * everything else. {@link UncompiledPredicates} puts them where Spark asks for its own.
 */
public final class WatermarkPredicates {
  private WatermarkPredicates() {}

  /**
   * Makes a predicate over rows with these attributes.
   *
   * @param spark makes those that are not of this kind.
   * @param condition of booleans, that may refer to the attributes.
   * @param attributes of the rows.
   * @return what answers false where the condition is null.
   */
  public static BasePredicate create(org.apache.spark.sql.catalyst.expressions.Predicate$ spark, Expression condition, Seq attributes) {
    if (condition instanceof LessThanOrEqual comparison && comparison.right() instanceof Literal limit && limit.value() instanceof Long most) {
      Expression time = BindReferences.bindReference(comparison.left(), package$.MODULE$.AttributeSeq(attributes), true);
      if (time instanceof BoundReference column && isTime(column.dataType())) {
        return new TimeAtMost(column.ordinal(), most);
      }
      if (time instanceof GetStructField field && field.child() instanceof BoundReference column && isTime(field.dataType())) {
        return new MemberAtMost(column.ordinal(), ((StructType) column.dataType()).length(), field.ordinal(), most);
      }
    }
    return spark.create(condition, attributes);
  }

  private static boolean isTime(DataType type) {
    return type.equals(DataTypes.TimestampType) || type.equals(DataTypes.TimestampNTZType) || type.equals(DataTypes.LongType);
  }

  /** A column in microseconds since 1970, or any other long. */
  private static final class TimeAtMost extends BasePredicate {
    private final int column;
    private final long most;

    TimeAtMost(int column, long most) {
      this.column = column;
      this.most = most;
    }

    @Override
    public boolean eval(InternalRow row) {
      return !row.isNullAt(column) && row.getLong(column) <= most;
    }
  }

  /** A member of a column, as a window's end is. */
  private static final class MemberAtMost extends BasePredicate {
    private final int column;
    private final int members;
    private final int member;
    private final long most;

    MemberAtMost(int column, int members, int member, long most) {
      this.column = column;
      this.members = members;
      this.member = member;
      this.most = most;
    }

    @Override
    public boolean eval(InternalRow row) {
      if (row.isNullAt(column)) {
        return false;
      }
      InternalRow struct = row.getStruct(column, members);
      return !struct.isNullAt(member) && struct.getLong(member) <= most;
    }
  }
}
