package weir.decode;

import java.util.List;
import java.util.function.Function;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.catalyst.FunctionIdentifier;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.ExpressionInfo;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.objects.Invoke;
import org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke;
import org.apache.spark.sql.classic.ExpressionUtils;
import org.apache.spark.sql.types.AbstractDataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.ObjectType;
import scala.Function1;
import scala.Option;
import scala.Tuple3;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.BoxedUnit;

/**
 * Decoders as functions in every session of an engine: what {@code spark.sql.extensions} names.
 *
 * <p>{@code weir_header} is {@link Headers}, {@code weir_read_counts} {@link ReadCounts}. {@code weir_decode_json(value, specification)} and its like give a struct of the fields, {@code _status} and {@code _change_ms}; never null.
 */
public final class DecodeFunctions implements Function1<SparkSessionExtensions, BoxedUnit> {
  @Override
  public BoxedUnit apply(SparkSessionExtensions extensions) {
    inject(extensions, "weir_header", DecodeFunctions::header);
    inject(extensions, "weir_read_counts", ReadCounts::new);
    add(extensions, "weir_decode_csv", CsvDecoder::new);
    add(extensions, "weir_decode_text", TextDecoder::new);
    add(extensions, "weir_decode_avro", AvroDecoder::new);
    add(extensions, "weir_decode_avro_change", AvroChangeDecoder::new);
    add(extensions, "weir_decode_json", JsonDecoder::new);
    add(extensions, "weir_decode_json_change", JsonChangeDecoder::new);
    add(extensions, "weir_decode_json_key", JsonKeyDecoder::new);
    add(extensions, "weir_decode_text_key", TextKeyDecoder::new);
    return BoxedUnit.UNIT;
  }

  private static void add(SparkSessionExtensions extensions, String name, Function<String, Decoder> decoder) {
    inject(extensions, name, arguments -> decode(arguments, decoder));
  }

  private static void inject(SparkSessionExtensions extensions, String name, Function1<Seq<Expression>, Expression> builder) {
    extensions.injectFunction(
        new Tuple3<>(new FunctionIdentifier(name), new ExpressionInfo(DecodeFunctions.class.getName(), name), builder));
  }

  private static Expression header(Seq<Expression> arguments) {
    Seq<AbstractDataType> none = CollectionConverters.asScala(List.<AbstractDataType>of()).toSeq();
    return new StaticInvoke(Headers.class, DataTypes.StringType, "first", arguments, none, true, true, true, Option.empty());
  }

  private static Expression decode(Seq<Expression> arguments, Function<String, Decoder> decoder) {
    if (arguments.size() != 2 || !arguments.apply(1).foldable()) {
      throw new IllegalArgumentException("A decoder takes bytes and a specification, which is a literal.");
    }
    return call(decoder.apply(String.valueOf(arguments.apply(1).eval(null))), arguments.head());
  }

  /** A function of Avro over a column, with schemas of writers that its specification does not know. */
  public static Column withWriters(Column value, String function, String specification, WriterTopic topic) {
    Decoder of = function.equals("weir_decode_avro") ? new AvroDecoder(specification, topic) : new AvroChangeDecoder(specification, topic);
    return ExpressionUtils.column(call(of, ExpressionUtils.expression(value)));
  }

  private static Expression call(Decoder of, Expression argument) {
    Seq<AbstractDataType> none = CollectionConverters.asScala(List.<AbstractDataType>of()).toSeq();
    Seq<Expression> value = CollectionConverters.asScala(List.of(argument)).toSeq();
    return new Invoke(new Literal(of, ObjectType.apply(of.getClass())), "decode", of.schema(), value, none, false, false, true);
  }
}
