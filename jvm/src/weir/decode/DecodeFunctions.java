package weir.decode;

import java.util.List;
import java.util.function.Function;
import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.catalyst.FunctionIdentifier;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.ExpressionInfo;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.objects.Invoke;
import org.apache.spark.sql.types.AbstractDataType;
import org.apache.spark.sql.types.ObjectType;
import scala.Function1;
import scala.Tuple3;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.BoxedUnit;

/**
 * Decoders as functions in every session of an engine: what {@code spark.sql.extensions} names.
 *
 * <p>{@code weir_decode_json(value, specification)} and its like give a struct of the fields, {@code _status} and {@code _change_ms}; never null.
 */
public final class DecodeFunctions implements Function1<SparkSessionExtensions, BoxedUnit> {
  @Override
  public BoxedUnit apply(SparkSessionExtensions extensions) {
    add(extensions, "weir_decode_csv", CsvDecoder::new);
    add(extensions, "weir_decode_text", TextDecoder::new);
    add(extensions, "weir_decode_json", JsonDecoder::new);
    add(extensions, "weir_decode_json_change", JsonChangeDecoder::new);
    return BoxedUnit.UNIT;
  }

  private static void add(SparkSessionExtensions extensions, String name, Function<String, Decoder> decoder) {
    extensions.injectFunction(
        new Tuple3<>(
            new FunctionIdentifier(name), new ExpressionInfo(DecodeFunctions.class.getName(), name), arguments -> decode(arguments, decoder)));
  }

  private static Expression decode(Seq<Expression> arguments, Function<String, Decoder> decoder) {
    if (arguments.size() != 2 || !arguments.apply(1).foldable()) {
      throw new IllegalArgumentException("A decoder takes bytes and a specification, which is a literal.");
    }
    Decoder of = decoder.apply(String.valueOf(arguments.apply(1).eval(null)));
    Seq<AbstractDataType> none = CollectionConverters.asScala(List.<AbstractDataType>of()).toSeq();
    Seq<Expression> value = CollectionConverters.asScala(List.of(arguments.head())).toSeq();
    return new Invoke(new Literal(of, ObjectType.apply(of.getClass())), "decode", of.schema(), value, none, false, false, true);
  }
}
