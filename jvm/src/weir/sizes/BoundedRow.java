package weir.sizes;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.StructField;
import scala.collection.immutable.Seq;

/**
 * {@code weir_row(room, value, value …)}: a struct of the values, {@code _0}, {@code _1} …, and whether one did not fit, {@code over}.
 * A value that has more bytes than those before it have left of the room is null; null has none. Values are computed one after the other, so that no more of
 * them is in memory than fits, and one value.
 */
final class BoundedRow extends SizedExpression {
  BoundedRow(Seq<Expression> children) {
    super(children);
  }

  @Override
  Expression over(Seq<Expression> others) {
    return new BoundedRow(others);
  }

  @Override
  public boolean nullable() {
    return false;
  }

  @Override
  public DataType dataType() {
    List<StructField> fields = new ArrayList<>();
    List<Expression> parts = parts();
    for (int at = 1; at < parts.size(); at++) {
      DataType type = parts.get(at).dataType();
      fields.add(new StructField("_" + (at - 1), type, parts.get(at).nullable() || !Sizes.isFixed(type), Metadata.empty()));
    }
    fields.add(new StructField("over", DataTypes.BooleanType, false, Metadata.empty()));
    return DataTypes.createStructType(fields);
  }

  @Override
  public Object eval(InternalRow row) {
    List<Expression> parts = parts();
    long room = Math.max(0, ((Number) parts.get(0).eval(row)).longValue());
    Object[] values = new Object[parts.size()];
    boolean over = false;
    for (int at = 1; at < parts.size(); at++) {
      Object value = parts.get(at).eval(row);
      DataType type = parts.get(at).dataType();
      long size = Sizes.isFixed(type) ? 0 : Sizes.of(value, type);
      if (size > room) {
        over = true;
      } else {
        room -= size;
        values[at - 1] = value;
      }
    }
    values[parts.size() - 1] = over;
    return new GenericInternalRow(values);
  }
}
