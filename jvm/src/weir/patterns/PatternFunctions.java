package weir.patterns;

import java.util.List;
import java.util.Map;
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
import scala.Function1;
import scala.Tuple3;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.BoxedUnit;

/**
 * Functions of patterns in every session of an engine: what {@code spark.sql.extensions} names. The second argument is a pattern that is
 * read once, when a query is planned; whole-stage code then calls the pattern itself.
 */
public final class PatternFunctions implements Function1<SparkSessionExtensions, BoxedUnit> {
  private static final DataType TEXTS = DataTypes.createArrayType(DataTypes.StringType, true);
  private static final Map<String, Form> FORMS =
      Map.of(
          "weir_regexp_like", new Form("matches", DataTypes.BooleanType, false),
          "weir_regexp_substr", new Form("first", DataTypes.StringType, true),
          "weir_regexp_instr", new Form("place", DataTypes.IntegerType, false),
          "weir_regexp_count", new Form("count", DataTypes.IntegerType, false),
          "weir_regexp_extract", new Form("group", DataTypes.StringType, false),
          "weir_regexp_extract_all", new Form("groups", TEXTS, false),
          "weir_regexp_replace", new Form("replaced", DataTypes.StringType, false),
          "weir_like", new Form("matches", DataTypes.BooleanType, false));

  private record Form(String method, DataType type, boolean nullable) {}

  @Override
  public BoxedUnit apply(SparkSessionExtensions extensions) {
    FORMS.forEach(
        (name, form) -> {
          Function1<Seq<Expression>, Expression> builder = arguments -> call(name, form, CollectionConverters.asJava(arguments));
          extensions.injectFunction(
              new Tuple3<>(new FunctionIdentifier(name), new ExpressionInfo(PatternFunctions.class.getName(), name), builder));
        });
    return BoxedUnit.UNIT;
  }

  private static Expression call(String name, Form form, List<Expression> arguments) {
    if (arguments.size() < 2 || !arguments.get(1).foldable()) {
      throw new IllegalArgumentException(name + " takes a text and a pattern, which is a literal.");
    }
    String text = String.valueOf(arguments.get(1).eval(null));
    Object pattern = name.equals("weir_like") ? new LikePattern(text) : new LinearPattern(text);
    Seq<Expression> given = CollectionConverters.asScala(without(arguments)).toSeq();
    Seq<AbstractDataType> types = CollectionConverters.asScala(List.<AbstractDataType>of()).toSeq();
    return new Invoke(
        new Literal(pattern, ObjectType.apply(pattern.getClass())), form.method(), form.type(), given, types, true, form.nullable(), true);
  }

  private static List<Expression> without(List<Expression> arguments) {
    List<Expression> rest = new java.util.ArrayList<>(arguments);
    rest.remove(1);
    return rest;
  }
}
