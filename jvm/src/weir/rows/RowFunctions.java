package weir.rows;

import java.util.List;
import java.util.function.Function;
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
 * {@code weir_key(struct)} gives bytes that are equal where structs are, to group by. The bytes are those of Spark's own rows in memory ({@link RowFormat}), so every type comes back as it was, and reading copies nothing. They are
 * for one engine and its state stores, whose format is the same; never for a topic. {@code weir_json(struct)} and {@code weir_json_array(struct)} give
 * texts in UTF-8 ({@link RowJson}).
 */
public final class RowFunctions implements Function1<SparkSessionExtensions, BoxedUnit> {
  @Override
  public BoxedUnit apply(SparkSessionExtensions extensions) {
    add(extensions, "weir_pack", arguments -> bytes("weir_pack", arguments, RowFormat::new, "pack"));
    add(extensions, "weir_key", arguments -> bytes("weir_key", arguments, RowFormat::new, "key"));
    add(extensions, "weir_json", arguments -> bytes("weir_json", arguments, RowJson::objects, "write"));
    add(extensions, "weir_json_array", arguments -> bytes("weir_json_array", arguments, RowJson::arrays, "write"));
    add(extensions, "weir_unpack", RowFunctions::unpack);
    return BoxedUnit.UNIT;
  }

  private static void add(SparkSessionExtensions extensions, String name, Function1<Seq<Expression>, Expression> builder) {
    extensions.injectFunction(
        new Tuple3<>(new FunctionIdentifier(name), new ExpressionInfo(RowFunctions.class.getName(), name), builder));
  }

  private static Expression bytes(String name, Seq<Expression> arguments, Function<StructType, Object> of, String method) {
    if (arguments.size() != 1 || !(arguments.head().dataType() instanceof StructType schema)) {
      throw new IllegalArgumentException(name + " takes a struct.");
    }
    return call(of.apply(schema), method, DataTypes.BinaryType, arguments.head(), arguments.head().nullable());
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
