package weir.rows;

import java.util.List;
import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.catalyst.FunctionIdentifier;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.ExpressionInfo;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.objects.Invoke;
import org.apache.spark.sql.types.AbstractDataType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.ObjectType;
import org.apache.spark.sql.types.StructType;
import scala.Function1;
import scala.Tuple3;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.BoxedUnit;

/**
 * Rows as bytes and back, in every session of an engine: what {@code spark.sql.extensions} names.
 *
 * <p>{@code weir_pack(struct)} gives a struct as bytes; {@code weir_unpack(bytes, schema)} gives the struct again, whose schema is Spark's JSON.
 * The bytes are those of Spark's own rows in memory ({@link RowFormat}), so every type comes back as it was, and reading copies nothing. They are
 * for one engine and its state stores, whose format is the same; never for a topic.
 */
public final class RowFunctions implements Function1<SparkSessionExtensions, BoxedUnit> {
  @Override
  public BoxedUnit apply(SparkSessionExtensions extensions) {
    add(extensions, "weir_pack", RowFunctions::pack);
    add(extensions, "weir_unpack", RowFunctions::unpack);
    return BoxedUnit.UNIT;
  }

  private static void add(SparkSessionExtensions extensions, String name, Function1<Seq<Expression>, Expression> builder) {
    extensions.injectFunction(
        new Tuple3<>(new FunctionIdentifier(name), new ExpressionInfo(RowFunctions.class.getName(), name), builder));
  }

  private static Expression pack(Seq<Expression> arguments) {
    if (arguments.size() != 1 || !(arguments.head().dataType() instanceof StructType schema)) {
      throw new IllegalArgumentException("weir_pack takes a struct.");
    }
    return call(new RowFormat(schema), "pack", DataTypes.BinaryType, arguments.head(), arguments.head().nullable());
  }

  private static Expression unpack(Seq<Expression> arguments) {
    if (arguments.size() != 2 || !arguments.apply(1).foldable()) {
      throw new IllegalArgumentException("weir_unpack takes bytes and a schema, which is a literal.");
    }
    StructType schema = (StructType) DataType.fromJson(String.valueOf(arguments.apply(1).eval(null)));
    return call(new RowFormat(schema), "unpack", schema, arguments.head(), true);
  }

  private static Expression call(Object of, String method, DataType type, Expression argument, boolean nullable) {
    Seq<AbstractDataType> none = CollectionConverters.asScala(List.<AbstractDataType>of()).toSeq();
    Seq<Expression> given = CollectionConverters.asScala(List.of(argument)).toSeq();
    return new Invoke(new Literal(of, ObjectType.apply(of.getClass())), method, type, given, none, true, nullable, true);
  }
}
