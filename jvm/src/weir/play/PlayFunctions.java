package weir.play;

import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.catalyst.FunctionIdentifier;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.ExpressionInfo;
import org.apache.spark.sql.catalyst.expressions.Literal;
import scala.Function1;
import scala.Tuple3;
import scala.collection.immutable.Seq;
import scala.runtime.BoxedUnit;

/** What plays need in every session of an engine: {@code weir_first_rows(text, rows, bytes)}. */
public final class PlayFunctions implements Function1<SparkSessionExtensions, BoxedUnit> {
  private static final String NAME = "weir_first_rows";

  @Override
  public BoxedUnit apply(SparkSessionExtensions extensions) {
    Function1<Seq<Expression>, Expression> builder =
        arguments -> new FirstRows(arguments.apply(0), number(arguments.apply(1)), number(arguments.apply(2)));
    extensions.injectFunction(
        new Tuple3<>(new FunctionIdentifier(NAME), new ExpressionInfo(FirstRows.class.getName(), NAME), builder));
    return BoxedUnit.UNIT;
  }

  private static int number(Expression literal) {
    return (Integer) ((Literal) literal).value();
  }
}
