package weir.sizes;

import java.util.List;
import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.catalyst.FunctionIdentifier;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.ExpressionInfo;
import org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke;
import org.apache.spark.sql.types.AbstractDataType;
import org.apache.spark.sql.types.DataTypes;
import scala.Function1;
import scala.Option;
import scala.Tuple3;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.BoxedUnit;

/** Functions that bound what a record can become, in every session of an engine: what {@code spark.sql.extensions} names. */
public final class SizeFunctions implements Function1<SparkSessionExtensions, BoxedUnit> {
  @Override
  public BoxedUnit apply(SparkSessionExtensions extensions) {
    add(extensions, "weir_size", SizeOf::new);
    add(extensions, "weir_row", BoundedRow::new);
    add(extensions, "weir_replace", SizeFunctions::replace);
    return BoxedUnit.UNIT;
  }

  private static void add(SparkSessionExtensions extensions, String name, Function1<Seq<Expression>, Expression> builder) {
    extensions.injectFunction(
        new Tuple3<>(new FunctionIdentifier(name), new ExpressionInfo(SizeFunctions.class.getName(), name), builder));
  }

  private static Expression replace(Seq<Expression> arguments) {
    Seq<AbstractDataType> none = CollectionConverters.asScala(List.<AbstractDataType>of()).toSeq();
    return new StaticInvoke(
        BoundedReplace.class, DataTypes.StringType, "replaced", arguments, none, true, true, true, Option.empty());
  }
}
