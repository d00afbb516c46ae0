package weir.sizes;

import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import scala.collection.immutable.Seq;

/** {@code weir_size(value, value …)}: bytes of the values together ({@link Sizes}); never null. */
final class SizeOf extends SizedExpression {
  SizeOf(Seq<Expression> children) {
    super(children);
  }

  @Override
  Expression over(Seq<Expression> others) {
    return new SizeOf(others);
  }

  @Override
  public boolean nullable() {
    return false;
  }

  @Override
  public DataType dataType() {
    return DataTypes.LongType;
  }

  @Override
  public Object eval(InternalRow row) {
    long size = 0;
    for (Expression value : parts()) {
      size += Sizes.of(value.eval(row), value.dataType());
    }
    return size;
  }
}
